package dev.tigris.os.disk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

/// A load on one file, to measure it: operations of one size, in order or at random places, so many
/// under way at a time.
///
/// Thread rule: the thread of the queue.
///
/// @param kind reads or writes
/// @param blockBytes the bytes of each operation
/// @param depth how many are under way
/// @param isRandom whether they are at random places, and else in order and again from the start
public record DiskLoad(DiskOperation.Kind kind, int blockBytes, int depth, boolean isRandom) {
  private static final int LOOKS_BETWEEN_CLOCKS = 16;
  private static final int PAGE_BYTES = 4096;

  /// The outcome of a load.
  ///
  /// @param operations how many were done
  /// @param nanos how long they took, all together
  public record Result(long operations, long nanos, int blockBytes, int depth) {
    /// Returns this outcome and another one of the load together.
    public Result plus(Result other) {
      return new Result(operations + other.operations, nanos + other.nanos, blockBytes, depth);
    }

    /// Returns how many operations a second were done.
    public double operationsPerSecond() {
      return operations * 1e9 / nanos;
    }

    /// Returns how many millions of bytes a second were transferred.
    public double megabytesPerSecond() {
      return operations * (double) blockBytes * 1e3 / nanos;
    }

    /// Returns how long an operation was under way on average.
    public double meanMicros() {
      return nanos / 1e3 * depth / operations;
    }
  }

  /// Applies the load until the time is over or so many operations were started.
  ///
  /// @param fileBytes the part of the file that is used, from its beginning on
  /// @throws DiskException if an operation fails, or a read meets the end of the file
  public Result apply(
      DiskQueue queue, DiskFile file, long fileBytes, long nanos, long most, long seed)
      throws DiskException {
    return apply(queue, List.of(file), fileBytes, nanos, most, seed);
  }

  /// Applies the load as the other method does, to several files: to one after the other, or to any
  /// of them where places are random.
  public Result apply(
      DiskQueue queue, List<DiskFile> files, long fileBytes, long nanos, long most, long seed)
      throws DiskException {
    long blocks = fileBytes / blockBytes;
    if (blocks == 0 || most == 0) {
      throw new IllegalArgumentException(
          "a load of %d operations of %d bytes on %d bytes".formatted(most, blockBytes, fileBytes));
    }
    SplittableRandom random = new SplittableRandom(seed);
    MemorySegment memory = Arena.ofAuto().allocate((long) depth * blockBytes, PAGE_BYTES);
    fill(memory, random);
    boolean _ = queue.register(memory);
    long start = System.nanoTime();
    long started = 0;
    for (; started < Math.min(depth, most); started++) {
      MemorySegment block = memory.asSlice(started * blockBytes, blockBytes);
      DiskFile file = file(files, started, random);
      long place = place(started / files.size(), blocks, random);
      queue.start(prepare(new DiskOperation(), file, place, block));
    }
    long done = 0;
    long now = start;
    while (done < started) {
      DiskOperation operation = queue.take().orThrow();
      done++;
      if (done % LOOKS_BETWEEN_CLOCKS == 0 || depth < LOOKS_BETWEEN_CLOCKS) {
        now = System.nanoTime();
      }
      if (now - start < nanos && started < most) {
        DiskFile file = file(files, started, random);
        long place = place(started++ / files.size(), blocks, random);
        queue.start(prepare(operation, file, place, operation.memory()));
      }
    }
    return new Result(done, System.nanoTime() - start, blockBytes, depth);
  }

  private DiskFile file(List<DiskFile> files, long number, SplittableRandom random) {
    int count = files.size();
    return files.get(count == 1 ? 0 : isRandom ? random.nextInt(count) : (int) (number % count));
  }

  private long place(long number, long blocks, SplittableRandom random) {
    return blockBytes * (isRandom ? random.nextLong(blocks) : number % blocks);
  }

  private DiskOperation prepare(
      DiskOperation operation, DiskFile file, long position, MemorySegment block) {
    return kind == DiskOperation.Kind.READ
        ? operation.toRead(file, position, block)
        : operation.toWrite(file, position, block);
  }

  /// Some disks do not write zeros, or compress what they write.
  private static void fill(MemorySegment memory, SplittableRandom random) {
    byte[] page = new byte[PAGE_BYTES];
    for (long at = 0; at < memory.byteSize(); at += PAGE_BYTES) {
      random.nextBytes(page);
      long length = Math.min(PAGE_BYTES, memory.byteSize() - at);
      MemorySegment.copy(MemorySegment.ofArray(page), 0, memory, at, length);
    }
  }
}
