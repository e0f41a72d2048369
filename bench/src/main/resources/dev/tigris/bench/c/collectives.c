// The collective operations of MPI, timed. Rank 0 reads lines "OPERATION BYTES COUNT" until its
// input ends, and prints the nanoseconds of COUNT operations for each. The operations are barrier,
// allreduce (doubles, summed) and alltoall (BYTES to each rank). While no line comes, no rank takes
// the processor: the program that this one is compared with needs it then.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_TAG = 1, PAUSE_MICROS = 500 };

struct command {
  char operation[16];
  long bytes;
  long count;
};

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t bytes) {
  void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (memory == NULL) fail("no memory");
  memset(memory, 0, bytes);
  return memory;
}

// Rank 0 reads a command and tells the others, which ask for it again and again with pauses.
static int next(struct command *command, int rank, int size) {
  if (rank == 0) {
    char line[128];
    if (fgets(line, sizeof line, stdin) == NULL) {
      strcpy(command->operation, "end");
    } else if (sscanf(line, "%15s %ld %ld", command->operation, &command->bytes, &command->count) != 3) {
      fail("a line has an operation, bytes and a count");
    }
    for (int to = 1; to < size; to++) {
      MPI_Send(command, sizeof *command, MPI_BYTE, to, COMMAND_TAG, MPI_COMM_WORLD);
    }
  } else {
    int is_there = 0;
    while (!is_there) {
      MPI_Iprobe(0, COMMAND_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
      if (!is_there) usleep(PAUSE_MICROS);
    }
    MPI_Recv(command, sizeof *command, MPI_BYTE, 0, COMMAND_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return strcmp(command->operation, "end") != 0;
}

static long barrier(long count) {
  MPI_Barrier(MPI_COMM_WORLD);
  long begun = now();
  for (long i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
  return now() - begun;
}

// The first operation is checked and not timed: each rank has its number and 1 in all elements.
static long allreduce(long bytes, long count, int rank, int size) {
  long elements = bytes / (long)sizeof(double);
  double *data = allocate(bytes);
  for (long i = 0; i < elements; i++) data[i] = rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, data, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (long i = 0; i < elements; i++) {
    if (data[i] != size * (size + 1) / 2) fail("a wrong sum");
  }
  memset(data, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  long begun = now();
  for (long i = 0; i < count; i++) {
    MPI_Allreduce(MPI_IN_PLACE, data, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  long nanos = now() - begun;
  free(data);
  return nanos;
}

static long alltoall(long bytes, long count, int rank, int size) {
  char *from = allocate(bytes * size);
  char *to = allocate(bytes * size);
  for (int i = 0; i < size; i++) memset(from + i * bytes, 1 + rank * size + i, bytes);
  MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
  for (long i = 0; i < bytes * size; i++) {
    if (to[i] != 1 + i / bytes * size + rank) fail("a wrong part");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  long begun = now();
  for (long i = 0; i < count; i++) {
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
  long nanos = now() - begun;
  free(from);
  free(to);
  return nanos;
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct command command = {0};
  while (next(&command, rank, size)) {
    long nanos;
    if (strcmp(command.operation, "barrier") == 0) {
      nanos = barrier(command.count);
    } else if (strcmp(command.operation, "allreduce") == 0) {
      nanos = allreduce(command.bytes, command.count, rank, size);
    } else {
      nanos = alltoall(command.bytes, command.count, rank, size);
    }
    if (rank == 0) {
      printf("%ld\n", nanos);
      fflush(stdout);
    }
  }
  MPI_Finalize();
  return 0;
}
