package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/// How a sort of lines divides its memory, fixed before it starts:
///
/// ```
/// memory >= open                       waters that partitioners fill: one for each bucket
///         + flight                     waters on their way, up to the window of each stream
///         + partitioners * read        what they read the input into
///         + sorters * (keep + buffer)  waters that sorters hold; what they spill through
/// ```
///
/// A bucket is sorted in a copy on the heap, which bounds how large it may be; a larger one is
/// divided first.
///
/// On several processes, the plan is that of each one, and the number of buckets that of all.
///
/// @param processors how many modules partition, and how many sort
/// @param buckets how many buckets to aim for
/// @param waterBytes how many bytes a water has for lines and its header
/// @param window how many waters may be on their way from a partitioner to a sorter
/// @param chunkBytes how much a partitioner reads at a time
/// @param keepBytes how much a sorter holds before it spills
/// @param mostBytes how large a bucket may be to be sorted at once
/// @param lineBytes how long a line may be
/// @param mostLines how many lines it may have
record LinePlan(
    int processors,
    int buckets,
    int waterBytes,
    int window,
    int chunkBytes,
    long keepBytes,
    int mostBytes,
    int lineBytes,
    int mostLines) {

  private static final int WINDOW = 4;

  /// Sorters in several processes get their shares within so many parts of them.
  private static final int BUCKETS_PER_SORTER = 4;
  private static final long BUCKET_BYTES = 1 << 20;

  /// Text and entries of a bucket are read in no order, and lie in a core's own cache if it has
  /// this size: where the memory is enough for so many open waters.
  private static final long NEAR_BUCKET_BYTES = 512 << 10;

  private static final int MAX_BUCKETS = 2048;
  private static final int MAX_WATER_BYTES = 64 << 10;
  private static final int MIN_WATER_BYTES = 8 << 10;
  private static final int MAX_CHUNK_BYTES = 1 << 20;
  private static final int MIN_CHUNK_BYTES = 64 << 10;

  /// What spilled lines pass through, and output.
  static final int BUFFER_BYTES = 256 << 10;

  /// What a sorter needs of the heap: bucket, sorted copy, places and entries of its lines.
  private static final long LEAST_HEAP_BYTES = 24 << 20;

  private static final int HEAP_SHARES = 32;

  /// Partitioners and sorters hold a few lines at a time, however long they are.
  private static final int LINE_SHARES = 16;

  /// Where the order of equal lines counts, a bucket notes what it has of each chunk.
  private static final long PART_BYTES = 48;
  private static final int MAX_SORTED_BYTES = 256 << 20;

  /// The least memory with which lines can be sorted.
  static final long LEAST_BYTES = 4 << 20;

  /// Makes the plan.
  ///
  /// @param inputBytes the size of the input
  /// @param memoryBytes the memory allowed, at least [#LEAST_BYTES]
  /// @param parallel how many processors to use
  /// @param isStable whether the order of equal lines counts
  /// @param heap of each process
  /// @param processes how many share the input; memory and processors are those of each
  static LinePlan make(
      long inputBytes, long memoryBytes, int parallel, boolean isStable, Heap heap, int processes) {
    long chunk =
        Math.clamp(
            Math.min(inputBytes / (4L * parallel * processes), memoryBytes / 32),
            MIN_CHUNK_BYTES,
            MAX_CHUNK_BYTES);
    long parts = Math.max(1, Math.ceilDiv(inputBytes, chunk));
    long byHeap = Math.max(1, heap.bytes() / LEAST_HEAP_BYTES);
    long byMemory = Math.max(1, memoryBytes / LEAST_BYTES);
    long byParts = Math.max(1, parts / processes);
    int processors = (int) Math.min(Math.min(parallel, byParts), Math.min(byHeap, byMemory));
    while (processors > 1 && streams(processors, processes) > heap.streams()) {
      processors--;
    }
    int water = MAX_WATER_BYTES;
    long near = Math.clamp(inputBytes / NEAR_BUCKET_BYTES, 1, MAX_BUCKETS);
    boolean isRoomy = processors * near * water <= memoryBytes / 4;
    long buckets = isRoomy ? near : Math.clamp(inputBytes / BUCKET_BYTES, 1, MAX_BUCKETS);
    if (processes > 1) {
      long wanted = (long) BUCKETS_PER_SORTER * processors * processes;
      buckets = Math.max(buckets, Math.min(wanted, MAX_BUCKETS));
    }
    while (water > MIN_WATER_BYTES && processors * buckets * water > memoryBytes / 4) {
      water /= 2;
    }
    buckets = Math.min(buckets, memoryBytes / 4 / water / processors);
    long noted = processes * (heap.bytes() / 8 / PART_BYTES) / parts;
    buckets = isStable ? Math.min(buckets, noted) : buckets;
    buckets = Math.max(1, buckets);
    long pairs = streams(processors, processes);
    int window = Math.clamp(memoryBytes / 8 / water / pairs - 1, 1, WINDOW);
    long spent =
        processors * buckets * water
            + pairs * (window + 1) * water
            + processors * (chunk + BUFFER_BYTES);
    long most = heap.waters() / processors * water;
    long keep = Math.max(4L * water, Math.min(most, (memoryBytes - spent) / processors));
    long share = heap.bytes() / HEAP_SHARES / processors;
    return new LinePlan(
        processors,
        (int) buckets,
        water,
        window,
        (int) chunk,
        keep,
        Math.clamp(share, 64 << 10, MAX_SORTED_BYTES),
        Math.clamp(
            Math.min(share, memoryBytes / LINE_SHARES / processors), 64 << 10, MAX_SORTED_BYTES),
        Math.max(1024, heap.entries(processors)));
  }

  /// Returns how many streams have an end in a process: those to all sorters, and those from
  /// partitioners elsewhere.
  private static long streams(int processors, int processes) {
    return (long) processors * processors * (2L * processes - 1);
  }

  /// Writes what [#read] reads.
  void write(DataOutputStream out) throws IOException {
    out.writeInt(processors);
    out.writeInt(buckets);
    out.writeInt(waterBytes);
    out.writeInt(window);
    out.writeInt(chunkBytes);
    out.writeLong(keepBytes);
    out.writeInt(mostBytes);
    out.writeInt(lineBytes);
    out.writeInt(mostLines);
  }

  static LinePlan read(DataInputStream in) throws IOException {
    return new LinePlan(
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readLong(),
        in.readInt(),
        in.readInt(),
        in.readInt());
  }
}
