/* The C side of paper.thesis.fig1: functions that do next to nothing, for Java to call, and loops
   that call them as often as Java does. */
#include <stdint.h>
#include <string.h>

#define NEVER_INLINED __attribute__((noinline))

NEVER_INLINED void none(void) { __asm__ volatile(""); }

NEVER_INLINED int32_t result(void) {
  __asm__ volatile("");
  return 42;
}

NEVER_INLINED int32_t argument(int32_t a) {
  __asm__ volatile("");
  return a + 1;
}

NEVER_INLINED int32_t arguments(int32_t a, int32_t b, int32_t c, int32_t d) {
  __asm__ volatile("");
  return a + b + c + d;
}

int64_t loop_none(int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    none();
  }
  return count;
}

int64_t loop_result(int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    sum += result();
  }
  return sum;
}

int64_t loop_argument(int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    sum += argument((int32_t)i);
  }
  return sum;
}

int64_t loop_arguments(int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    sum += arguments((int32_t)i, 1, 2, 3);
  }
  return sum;
}

int64_t loop_copy(void *to, const void *from, int64_t bytes, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    memcpy(to, from, (size_t)bytes);
    __asm__ volatile("" ::"r"(to) : "memory");
  }
  return count;
}
