/* The C side of objects.scan: the largest int of a file, by mmap and by read. Negative results of
   functions that return 64 bits are errors. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct record {
  int64_t id;
  int32_t value;
  int32_t other;
  double more[6];
};

void *scan_map(const char *path, int64_t bytes) {
  int file = open(path, O_RDONLY);
  void *memory = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

int32_t scan_unmap(void *memory, int64_t bytes) { return munmap(memory, (size_t)bytes); }

int32_t scan_ints(const int32_t *values, int64_t count) {
  int32_t largest = INT32_MIN;
  for (int64_t i = 0; i < count; i++) {
    if (values[i] > largest) {
      largest = values[i];
    }
  }
  return largest;
}

int32_t scan_field(const struct record *records, int64_t count) {
  int32_t largest = INT32_MIN;
  for (int64_t i = 0; i < count; i++) {
    if (records[i].value > largest) {
      largest = records[i].value;
    }
  }
  return largest;
}

/* Reads `bytes` bytes, `step` at a time, and returns the largest int plus 2^32. */
int64_t scan_read(const char *path, int64_t bytes, int64_t step) {
  static int32_t buffer[1 << 14];
  int32_t largest = INT32_MIN;
  int file = open(path, O_RDONLY);
  for (int64_t left = bytes; left > 0; left -= step) {
    if (step > (int64_t)sizeof buffer || read(file, buffer, (size_t)step) != step) {
      close(file);
      return -1;
    }
    for (int64_t i = 0; i < step / 4; i++) {
      if (buffer[i] > largest) {
        largest = buffer[i];
      }
    }
  }
  close(file);
  return largest + (INT64_C(1) << 32);
}
