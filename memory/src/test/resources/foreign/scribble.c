/* Writes to a part of a file that others have mapped, until the standard input ends:
   scribble FILE FROM BYTES SEED. The same in C as Scribbler.java. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DAMAGED 16

static uint64_t state;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint64_t value(const uint64_t *good, uint64_t words) {
  switch (next() % 8) {
    case 0: return next();
    case 1: return next() % 32;
    case 2: return 8 * (next() % (words + 16));
    case 3: return 8 * (words - next() % 16);
    case 4: return -(next() % 64);
    case 5: return good[next() % words];
    case 6: return next() % 32 << 32 | next() % 32;
    default: return UINT64_C(1) << next() % 64;
  }
}

int main(int count, char **arguments) {
  if (count != 5) {
    return 2;
  }
  uint64_t from = strtoull(arguments[2], NULL, 10);
  uint64_t bytes = strtoull(arguments[3], NULL, 10);
  state = strtoull(arguments[4], NULL, 10) | 1;
  int file = open(arguments[1], O_RDWR);
  char *mapped = file < 0 ? MAP_FAILED
                          : mmap(NULL, from + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  uint64_t *good = malloc(bytes);
  if (mapped == MAP_FAILED || good == NULL) {
    perror(arguments[1]);
    return 1;
  }
  volatile uint64_t *words = (volatile uint64_t *)(mapped + from);
  uint64_t length = bytes / 8;
  memcpy(good, mapped + from, bytes);
  puts("ready");
  fflush(stdout);
  struct pollfd input = {.fd = 0, .events = POLLIN};
  uint64_t damaged[DAMAGED] = {0};
  while (poll(&input, 1, 0) == 0) {
    for (int i = 0; i < 64 * DAMAGED; i++) {
      uint64_t at = next() % length;
      words[at] = value(good, length);
      uint64_t healed = damaged[i % DAMAGED];
      words[healed] = good[healed];
      damaged[i % DAMAGED] = at;
      at = next() % length;
      words[at] = good[at]; /* what the reader has changed */
    }
  }
  return 0;
}
