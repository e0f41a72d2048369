/* The functions of net.h for Java to call, and what it would call if it could not look at memory
   outside the heap itself: addresses are numbers. */
#include "net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

_Noreturn void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, errno == 0 ? "refused" : strerror(errno));
  _exit(1);
}

int64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Where Java finds the fields of a transfer. */
_Static_assert(offsetof(struct transfer, memory) == 0 && offsetof(struct transfer, bytes) == 8 &&
                   offsetof(struct transfer, tag) == 12 &&
                   offsetof(struct transfer, is_send) == 16 && sizeof(struct transfer) == 40,
               "the layout of CalledTransport");

static void *at(int64_t address) { return (void *)(uintptr_t)address; }

static int64_t address_of(const void *memory) { return (int64_t)(uintptr_t)memory; }

/* `actual` has room for 64 bytes. */
int64_t calls_listen(int64_t address, int64_t actual) {
  snprintf(at(actual), 64, "%s", vi_listen(at(address)));
  return 0;
}

int64_t calls_accept(int64_t tag) { return address_of(vi_accept(at(tag))); }

int64_t calls_connect(int64_t address, int64_t tag) {
  return address_of(vi_connect(at(address), (uint64_t)tag));
}

int64_t calls_register(int64_t vi, int64_t memory, int64_t bytes) {
  vi_register(at(vi), at(memory), (size_t)bytes);
  return 0;
}

/* As in net.c, for providers that have none of their own. */
__attribute__((weak)) void *vi_allocate(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    fail("mmap");
  }
  return memory;
}

__attribute__((weak)) void vi_free(void *memory, size_t bytes) { munmap(memory, bytes); }

int64_t calls_allocate(int64_t bytes) { return address_of(vi_allocate((size_t)bytes)); }

int64_t calls_free(int64_t memory, int64_t bytes) {
  vi_free(at(memory), (size_t)bytes);
  return 0;
}

int64_t calls_post(int64_t vi, int64_t transfer) {
  vi_post(at(vi), at(transfer));
  return 0;
}

int64_t calls_poll(int64_t vi) { return address_of(vi_poll(at(vi))); }

int64_t calls_park(int64_t vi, int64_t nanos) {
  vi_park(at(vi), nanos);
  return 0;
}

int64_t calls_is_connected(int64_t vi) { return vi_is_connected(at(vi)); }

int64_t calls_close(int64_t vi) {
  vi_close(at(vi));
  return 0;
}

/* Four bytes of a descriptor or a message. */
int64_t calls_get(int64_t address) {
  int32_t value;
  memcpy(&value, at(address), sizeof value);
  return value;
}

int64_t calls_set(int64_t address, int64_t value) {
  int32_t word = (int32_t)value;
  memcpy(at(address), &word, sizeof word);
  return 0;
}
