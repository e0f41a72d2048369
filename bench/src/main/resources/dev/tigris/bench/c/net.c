/* The C side of net.PROVIDER.pingpong and .bandwidth: what dev.tigris.bench.net.Worker does, over
   the functions of net.h. A message's tag says what its receiver is to do with it. */
#include "net.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum tag { ECHO = 0, ONE_WAY = 1, LAST = 2 };

/* As in CompletionQueue.await. */
enum { POLLS_BETWEEN_CLOCKS = 16 };
static const int64_t YIELD_AFTER_NANOS = 15000;
static const int64_t SPIN_NANOS = 50000;
static const int64_t LONGEST_SPIN_NANOS = 1000000;
static const int64_t LONG_YIELD_NANOS = 1000000;
static const int64_t WITHOUT_YIELD_NANOS = 1000000000;
static const int64_t PATIENCE_NANOS = INT64_C(10000000000);

enum { MOST_POSTED = 64, FEWEST_POSTED = 4, POSTED_BYTES = 8 << 20, ANSWER_BYTES = 8 };

/* Whether messages are left where they lie, as those of UCX and Aeron are: then their senders write
   them as a whole. Up to this length the provider does that, as it copies them. */
static bool in_place;
enum { COPIED_BYTES = 8192 };

_Noreturn void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, errno == 0 ? "refused" : strerror(errno));
  _exit(1);
}

static void *plain(size_t bytes);

int64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A provider that moves long messages part by part has its own. */
__attribute__((weak)) bool vi_is_moving(struct vi *vi) {
  (void)vi;
  return false;
}

/* A provider that leaves messages where they lie has its own. */
__attribute__((weak)) void vi_give_back(struct vi *vi, struct transfer *received) {
  (void)vi;
  (void)received;
}

__attribute__((weak)) void *vi_allocate(size_t bytes) { return plain(bytes); }

__attribute__((weak)) void vi_free(void *memory, size_t bytes) { munmap(memory, bytes); }

static void *plain(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    fail("mmap");
  }
  memset(memory, 0, bytes);
  return memory;
}

/* Since when there are no yields, if that is not long ago. */
static int64_t long_yield = INT64_MIN / 2;

/* Yields, and returns whether that was brief. */
static bool yield_briefly(void) {
  int64_t start = now_nanos();
  sched_yield();
  int64_t now = now_nanos();
  if (now - start < LONG_YIELD_NANOS) {
    return true;
  }
  long_yield = now;
  return false;
}

/* Polls until there is a completion, the peer has closed, the time is over, or nothing has moved
   for a while. */
static struct transfer *spin(struct vi *vi, int64_t start, int64_t timeout_nanos) {
  int64_t idle_since = start;
  bool yields = false;
  for (int polls = 1;; polls++) {
    struct transfer *ready = vi_poll(vi);
    if (ready != NULL || !vi_is_connected(vi)) {
      return ready;
    }
    if (polls % POLLS_BETWEEN_CLOCKS == 0) {
      int64_t now = now_nanos();
      if (now - start >= timeout_nanos) {
        return NULL;
      }
      if (now - idle_since >= SPIN_NANOS) {
        if (now - start >= LONGEST_SPIN_NANOS || !vi_is_moving(vi)) {
          return NULL;
        }
        idle_since = now;
      }
      yields = now - idle_since >= YIELD_AFTER_NANOS && now - long_yield >= WITHOUT_YIELD_NANOS;
    }
    if (yields) {
      yields = yield_briefly();
    } else {
      __builtin_ia32_pause();
    }
  }
}

/* Waits for the next completion; NULL if the peer has closed or nothing comes. */
static struct transfer *await(struct vi *vi, int64_t timeout_nanos) {
  struct transfer *ready = vi_poll(vi);
  if (ready != NULL) {
    return ready;
  }
  int64_t start = now_nanos();
  int64_t now = start;
  while (true) {
    ready = spin(vi, now, timeout_nanos - (now - start));
    if (ready != NULL || !vi_is_connected(vi)) {
      return ready;
    }
    do {
      int64_t left = timeout_nanos - (now_nanos() - start);
      if (left <= 0) {
        return NULL;
      }
      vi_park(vi, left);
      ready = vi_poll(vi);
      if (ready != NULL || !vi_is_connected(vi)) {
        return ready;
      }
    } while (!vi_is_moving(vi));
    now = now_nanos();
  }
}

static struct transfer *next(struct vi *vi) {
  struct transfer *ready = await(vi, PATIENCE_NANOS);
  if (ready == NULL) {
    errno = 0;
    fail("nothing came for 10 seconds, or the peer has closed");
  }
  return ready;
}

/* ---- messages: a number at both ends of the payload */

static void stamp(struct transfer *message, uint32_t number) {
  if (in_place && message->bytes > COPIED_BYTES) {
    static unsigned char *content;
    static uint32_t bytes;
    if (bytes < message->bytes) {
      bytes = message->bytes;
      content = malloc(bytes);
      memset(content, 1, bytes); /* or else all of it would be one page of zeros */
    }
    memcpy(message->memory, content, message->bytes);
  }
  memcpy(message->memory, &number, sizeof number);
  memcpy(message->memory + message->bytes - sizeof number, &number, sizeof number);
}

/* Returns the number. */
static uint32_t check(const struct transfer *message) {
  const unsigned char *content = message->left != NULL ? message->left : message->memory;
  uint32_t first;
  uint32_t last;
  memcpy(&first, content, sizeof first);
  memcpy(&last, content + message->bytes - sizeof last, sizeof last);
  if (first != last) {
    errno = 0;
    fail("a message has arrived damaged");
  }
  return first;
}

/* Buffers of one size, registered. */
struct buffers {
  uint32_t count;
  unsigned char *memory;
  size_t bytes;
  bool plain;
  struct transfer transfers[MOST_POSTED];
};

static uint32_t count_for(uint32_t bytes) {
  uint32_t count = POSTED_BYTES / bytes;
  return count < FEWEST_POSTED ? FEWEST_POSTED : count > MOST_POSTED ? MOST_POSTED : count;
}

static void buffers_make(struct buffers *buffers, struct vi *vi, uint32_t bytes, uint32_t count) {
  size_t stride = (bytes + 63) & ~(size_t)63;
  buffers->count = count;
  buffers->bytes = stride * count;
  buffers->plain = in_place && bytes <= COPIED_BYTES;
  buffers->memory = buffers->plain ? plain(buffers->bytes) : vi_allocate(buffers->bytes);
  vi_register(vi, buffers->memory, buffers->bytes);
  for (uint32_t i = 0; i < count; i++) {
    buffers->transfers[i] = (struct transfer){.memory = buffers->memory + i * stride, .bytes = bytes};
  }
}

static void buffers_free(struct buffers *buffers) {
  if (buffers->plain) {
    munmap(buffers->memory, buffers->bytes);
  } else {
    vi_free(buffers->memory, buffers->bytes);
  }
}

static void post_send(struct vi *vi, struct transfer *message, uint32_t tag) {
  message->is_send = true;
  message->tag = tag;
  vi_post(vi, message);
}

static void post_receive(struct vi *vi, struct transfer *memory, uint32_t room) {
  if (memory->left != NULL) {
    vi_give_back(vi, memory);
  }
  memory->is_send = false;
  memory->in_place = in_place;
  memory->bytes = room;
  vi_post(vi, memory);
}

/* ---- the side that answers */

static void serve_peer(struct vi *vi, uint32_t bytes) {
  struct buffers receives;
  struct buffers answers;
  buffers_make(&receives, vi, bytes, count_for(bytes));
  buffers_make(&answers, vi, ANSWER_BYTES, 1);
  struct buffers echoes;
  buffers_make(&echoes, vi, bytes, in_place ? FEWEST_POSTED : 1);
  uint32_t echoed = 0;
  struct transfer *answer = &answers.transfers[0];
  for (uint32_t i = 0; i < receives.count; i++) {
    post_receive(vi, &receives.transfers[i], bytes);
  }
  uint32_t messages = 0;
  while (vi_is_connected(vi)) {
    struct transfer *ready = await(vi, PATIENCE_NANOS);
    if (ready == NULL || ready == answer) {
      continue;
    }
    if (ready->is_send) {
      if (!in_place) {
        post_receive(vi, ready, bytes);
      }
      continue;
    }
    uint32_t tag = ready->tag;
    uint32_t number = check(ready);
    if (tag == ECHO && in_place) {
      struct transfer *echo = &echoes.transfers[echoed++ % echoes.count];
      post_receive(vi, ready, bytes);
      stamp(echo, number);
      post_send(vi, echo, ECHO);
      continue;
    }
    if (tag == ECHO) {
      post_send(vi, ready, ECHO);
      continue;
    }
    messages++;
    post_receive(vi, ready, bytes);
    if (tag == LAST) {
      uint32_t content[] = {messages, 0}; /* nothing was allocated */
      memcpy(answer->memory, content, sizeof content);
      post_send(vi, answer, LAST);
      messages = 0;
    }
  }
  vi_close(vi);
  buffers_free(&receives);
  buffers_free(&answers);
  buffers_free(&echoes);
}

static void *end_with_input(void *nothing) {
  char ignored[64];
  while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
  }
  _exit(0);
  return nothing;
}

static void serve(const char *address) {
  pthread_t watcher;
  if (pthread_create(&watcher, NULL, end_with_input, NULL) != 0) {
    fail("pthread_create");
  }
  printf("listening %s\n", vi_listen(address));
  fflush(stdout);
  while (true) {
    uint64_t tag;
    struct vi *vi = vi_accept(&tag);
    serve_peer(vi, (uint32_t)tag);
  }
}

/* ---- the side that measures */

struct client {
  struct vi *vi; /* NULL until there is a connection */
  uint32_t bytes;
  struct buffers sends;
  struct buffers receives;
};

static void disconnect(struct client *client) {
  if (client->vi != NULL) {
    vi_close(client->vi);
    buffers_free(&client->sends);
    buffers_free(&client->receives);
    client->vi = NULL;
  }
}

static void connect_for(struct client *client, const char *address, uint32_t bytes) {
  if (client->vi != NULL && client->bytes == bytes) {
    return;
  }
  disconnect(client);
  client->bytes = bytes;
  client->vi = vi_connect(address, bytes);
  buffers_make(&client->sends, client->vi, bytes, count_for(bytes));
  buffers_make(&client->receives, client->vi, bytes < ANSWER_BYTES ? ANSWER_BYTES : bytes, 1);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void pingpong(struct client *client, uint32_t count) {
  struct vi *vi = client->vi;
  struct transfer *message = &client->sends.transfers[0];
  struct transfer *memory = &client->receives.transfers[0];
  int64_t *nanos = malloc(count * sizeof *nanos);
  int64_t before = now_nanos();
  for (uint32_t i = 0; i < count; i++) {
    post_receive(vi, memory, client->bytes);
    stamp(message, i);
    post_send(vi, message, ECHO);
    next(vi);
    next(vi);
    if (check(memory) != i) {
      errno = 0;
      fail("another message came back");
    }
    int64_t after = now_nanos();
    nanos[i] = after - before;
    before = after;
  }
  qsort(nanos, count, sizeof *nanos, ascending);
  printf("%" PRId64 " %" PRId64 " 0\n", nanos[count / 2], nanos[(uint32_t)(count * 0.999)]);
  free(nanos);
}

static void bandwidth(struct client *client, uint32_t count) {
  struct vi *vi = client->vi;
  struct transfer *memory = &client->receives.transfers[0];
  int64_t start = now_nanos();
  uint32_t out = 0;
  bool answered = false;
  post_receive(vi, memory, ANSWER_BYTES);
  for (uint32_t i = 0; i < count; i++) {
    struct transfer *message = i < client->sends.count ? &client->sends.transfers[i] : next(vi);
    out += i < client->sends.count;
    stamp(message, i);
    post_send(vi, message, i == count - 1 ? LAST : ONE_WAY);
  }
  while (out > 0 || !answered) {
    if (next(vi) == memory) {
      answered = true;
    } else {
      out--;
    }
  }
  int64_t nanos = now_nanos() - start;
  uint32_t content[ANSWER_BYTES / sizeof(uint32_t)];
  memcpy(content, memory->left != NULL ? memory->left : memory->memory, sizeof content);
  if (content[0] != count) {
    errno = 0;
    fail("messages were lost");
  }
  printf("%" PRId64 " 0 %" PRIu32 "\n", nanos, content[1]);
}

static void measure(const char *address) {
  struct client client = {0};
  char line[256];
  char what[16];
  uint32_t bytes;
  uint32_t count;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (sscanf(line, "%15s %" SCNu32 " %" SCNu32, what, &bytes, &count) != 3 || bytes < 4 ||
        count < 1) {
      errno = EINVAL;
      fail(line);
    }
    connect_for(&client, address, bytes);
    if (strcmp(what, "pingpong") == 0) {
      pingpong(&client, count);
    } else {
      bandwidth(&client, count);
    }
    fflush(stdout);
  }
  disconnect(&client);
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* a peer that has closed is an error of write */
  if (argc == 4 && strcmp(argv[1], "in-place") == 0) {
    in_place = true;
    argv[1] = argv[2];
    argv[2] = argv[3];
    argc = 3;
  }
  if (argc == 3 && strcmp(argv[1], "serve") == 0) {
    serve(argv[2]);
  } else if (argc == 3 && strcmp(argv[1], "measure") == 0) {
    measure(argv[2]);
  } else {
    fprintf(stderr, "usage: [in-place] serve ADDRESS | measure ADDRESS\n");
    return 2;
  }
  return 0;
}
