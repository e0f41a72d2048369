// Logs the calls that decide what a disk has after a crash of the machine: preloaded before libc.
//
//   CALLS_UNDER   files and folders below this path are of interest, and no others
//   CALLS_LOG     the log, of a line for each call that succeeded, in the order in which they took
//                 effect; fields are separated by tabs:
//                   create PATH, folder PATH, write PATH OFFSET BYTES, size PATH BYTES, sync PATH,
//                   rename FROM TO, link FROM TO, delete PATH
//   CALLS_BYTES   what was written, in the same order; none if it is not set
//   CALLS_FAULTS  a number: reads and writes of files of interest are interrupted or cut short now
//                 and then, by a generator that begins with it; `cut` is logged for each
//   CALLS_MAPPED  if it is set, a write of all that a file has is logged before each sync and each
//                 rename of it: what was stored through a mapping is seen by no call
//
// A size is logged before the next call on a file whenever it is another than the last one known:
// not all that changes it is seen here, such as fallocate called through java.lang.foreign. What is
// called that way is looked up in libc itself, but for open, fsync, pread and pwrite: dlsym gives
// those from here.
// Each call is made and logged under one lock, so that the order is what it was.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))found(RTLD_NEXT, #name))
#define MOST_FILES 256

typedef void *lookup(void *, const char *);

static void *found(void *handle, const char *name) {
  static lookup *real;
  if (!real) real = (lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!real) real = (lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");  // x86-64
  if (!real) real = (lookup *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");   // aarch64
  return real(handle, name);
}

void *dlsym(void *handle, const char *name) {
  if (strcmp(name, "open") == 0) return (void *)open;
  if (strcmp(name, "pread") == 0) return (void *)pread;
  if (strcmp(name, "pwrite") == 0) return (void *)pwrite;
  return strcmp(name, "fsync") == 0 ? (void *)fsync : found(handle, name);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *under;
static int log_file = -1, bytes_file = -1, with_mapped;
static unsigned faults;  // 0 for none
static struct { dev_t device; ino_t number; off_t size; } known[MOST_FILES];
static int files;

static int new_file(const char *name) {
  const char *path = getenv(name);
  if (!path) return -1;
  return REAL(open64)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void begin(void) {
  log_file = new_file("CALLS_LOG");
  bytes_file = new_file("CALLS_BYTES");
  with_mapped = getenv("CALLS_MAPPED") != NULL;
  faults = getenv("CALLS_FAULTS") ? atoi(getenv("CALLS_FAULTS")) : 0;
  under = log_file < 0 ? NULL : getenv("CALLS_UNDER");
}

static void fail(const char *what) {
  perror(what);
  abort(); // a log with a gap proves nothing
}

static void save(int file, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t saved = REAL(write)(file, bytes, count);
    if (saved < 0) fail("calls: write");
    bytes += saved;
    count -= saved;
  }
}

static void note(const char *format, ...) {
  char line[2 * PATH_MAX + 100];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  save(log_file, line, length);
}

static int concerns(const char *path) {
  return under && path && strncmp(path, under, strlen(under)) == 0;
}

// The name of a descriptor's file, if that is of interest.
static int named(int fd, char *path) {
  if (!under) return 0;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return concerns(path);
}

// Where the size of a file is kept; null for a folder.
static off_t *last_size(int fd, off_t *now) {
  struct stat64 status;
  if (fstat64(fd, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  *now = status.st_size;
  for (int i = 0; i < files; i++) {
    if (known[i].device == status.st_dev && known[i].number == status.st_ino) return &known[i].size;
  }
  if (files == MOST_FILES) fail("calls: too many files");
  known[files].device = status.st_dev;
  known[files].number = status.st_ino;
  known[files].size = 0;
  return &known[files++].size;
}

static void note_size(int fd, const char *path) {
  off_t now;
  off_t *last = last_size(fd, &now);
  if (last && *last != now) {
    note("size\t%s\t%lld\n", path, (long long)now);
    *last = now;
  }
}

static void keep_size(int fd) {
  off_t now;
  off_t *last = last_size(fd, &now);
  if (last) *last = now;
}

static void note_write(int fd, const char *path, off_t at, const struct iovec *parts, int count,
                       size_t written) {
  note("write\t%s\t%lld\t%zu\n", path, (long long)at, written);
  keep_size(fd);
  for (int i = 0; i < count && bytes_file >= 0 && written > 0; i++) {
    size_t length = parts[i].iov_len < written ? parts[i].iov_len : written;
    save(bytes_file, parts[i].iov_base, length);
    written -= length;
  }
}

static void note_mapped(const char *path) {
  struct stat64 status;
  if (!with_mapped || stat64(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
  int fd = REAL(open64)(path, O_RDONLY | O_CLOEXEC);
  char *content = malloc(status.st_size + 1);
  if (fd < 0 || !content || read(fd, content, status.st_size) != status.st_size) fail("calls: read");
  note_size(fd, path);
  struct iovec all = {content, status.st_size};
  if (status.st_size > 0) note_write(fd, path, 0, &all, 1, status.st_size);
  free(content);
  close(fd);
}

// How much of a transfer is to be done: all of it, a part, or, below zero, nothing.
static ssize_t cut(const char *path, size_t length) {
  if (!faults || length == 0) return length;
  faults = faults * 1664525u + 1013904223u;
  unsigned fate = faults >> 29;
  if (fate < 6) return length;
  note("cut\t%s\n", path);
  if (fate == 6) return -1;
  return length >= 8192 ? length / 2 & ~(size_t)4095 : (length + 1) / 2;
}

#define CUTTING(path) \
  ssize_t fate = cut(path, length); \
  if (fate < 0) { \
    pthread_mutex_unlock(&lock); \
    errno = EINTR; \
    return -1; \
  } \
  length = fate;

#define WRITING(parts, count, call, position) \
  char path[PATH_MAX]; \
  if (!named(fd, path)) return call; \
  pthread_mutex_lock(&lock); \
  note_size(fd, path); \
  off_t at = position; \
  ssize_t written = call; \
  int error = errno; \
  if (written > 0) note_write(fd, path, at, parts, count, written); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return written;

ssize_t write(int fd, const void *from, size_t length) {
  struct iovec part = {(void *)from, length};
  WRITING(&part, 1, REAL(write)(fd, from, length), lseek64(fd, 0, SEEK_CUR))
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  WRITING(parts, count, REAL(writev)(fd, parts, count), lseek64(fd, 0, SEEK_CUR))
}

static ssize_t reading(int fd, void *to, size_t length, off64_t offset, int is_next) {
  char path[PATH_MAX];
  if (faults && named(fd, path)) {
    pthread_mutex_lock(&lock);
    CUTTING(path)
    pthread_mutex_unlock(&lock);
  }
  return is_next ? REAL(read)(fd, to, length) : REAL(pread64)(fd, to, length, offset);
}

ssize_t read(int fd, void *to, size_t length) { return reading(fd, to, length, 0, 1); }

ssize_t pread64(int fd, void *to, size_t length, off64_t offset) {
  return reading(fd, to, length, offset, 0);
}

ssize_t pread(int fd, void *to, size_t length, off_t offset) {
  return pread64(fd, to, length, offset);
}

ssize_t pwrite64(int fd, const void *from, size_t length, off64_t offset) {
  char file[PATH_MAX];
  if (faults && named(fd, file)) {
    pthread_mutex_lock(&lock);
    CUTTING(file)
    pthread_mutex_unlock(&lock);
  }
  struct iovec part = {(void *)from, length};
  WRITING(&part, 1, REAL(pwrite64)(fd, from, length, offset), offset)
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t offset) {
  return pwrite64(fd, from, length, offset);
}

int ftruncate64(int fd, off64_t size) {
  char path[PATH_MAX];
  if (!named(fd, path)) return REAL(ftruncate64)(fd, size);
  pthread_mutex_lock(&lock);
  note_size(fd, path);
  int failed = REAL(ftruncate64)(fd, size);
  int error = errno;
  note_size(fd, path);
  pthread_mutex_unlock(&lock);
  errno = error;
  return failed;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int sync_file(int fd, int (*call)(int)) {
  char path[PATH_MAX];
  if (!named(fd, path)) return call(fd);
  pthread_mutex_lock(&lock);
  note_size(fd, path);
  note_mapped(path);
  int failed = call(fd);
  int error = errno;
  if (!failed) note("sync\t%s\n", path);
  pthread_mutex_unlock(&lock);
  errno = error;
  return failed;
}

int fsync(int fd) { return sync_file(fd, REAL(fsync)); }

int fdatasync(int fd) { return sync_file(fd, REAL(fdatasync)); }

static int change(const char *what, const char *path, const char *other, int failed) {
  int error = errno;
  if (!failed) note(other ? "%s\t%s\t%s\n" : "%s\t%s\n", what, path, other);
  pthread_mutex_unlock(&lock);
  errno = error;
  return failed;
}

#define CHANGING(what, path, other, call) \
  if (!concerns(path)) return call; \
  pthread_mutex_lock(&lock); \
  return change(what, path, other, call);

int rename(const char *from, const char *to) {
  if (!concerns(from)) return REAL(rename)(from, to);
  pthread_mutex_lock(&lock);
  note_mapped(from);
  return change("rename", from, to, REAL(rename)(from, to));
}

int link(const char *from, const char *to) { CHANGING("link", from, to, REAL(link)(from, to)) }

int unlink(const char *path) { CHANGING("delete", path, NULL, REAL(unlink)(path)) }

int rmdir(const char *path) { CHANGING("delete", path, NULL, REAL(rmdir)(path)) }

int mkdir(const char *path, mode_t mode) {
  CHANGING("folder", path, NULL, REAL(mkdir)(path, mode))
}

int open64(const char *path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(values, mode_t) : 0;
  va_end(values);
  if (!concerns(path) || !(flags & (O_CREAT | O_TRUNC))) return REAL(open64)(path, flags, mode);
  pthread_mutex_lock(&lock);
  int is_new = access(path, F_OK) != 0;
  int fd = REAL(open64)(path, flags, mode);
  int error = errno;
  if (fd >= 0 && is_new) {
    note("create\t%s\n", path);
    off_t now;
    off_t *last = last_size(fd, &now);
    if (last) *last = 0; // the number may have been a deleted file's
  }
  if (fd >= 0) note_size(fd, path);
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(values, mode_t) : 0;
  va_end(values);
  return open64(path, flags, mode);
}
