package dev.tigris.sort;

/// The shares of the heap that a sort may use. Its records lie outside the heap, but the objects
/// that manage them do not. The command's heap is small, however many processors there are and
/// however large the input is:
///
/// ```
/// heap >= entries     1/4   16 bytes for each record that a sorter sorts at a time
///       + blocks      1/8   records that partitioners copy there; then places of single records
///       + copies      1/8   records that sorters copy there
///       + waters      1/4   each with its place in a bucket
///       + streams     1/8   from each partitioner to each sorter
///       + all else    1/8   buckets, counts and buffers of each partitioner and sorter
/// ```
///
/// @param bytes what it may grow to
record Heap(long bytes) {
  /// Entries beyond this do not make a sort faster.
  private static final int MAX_ENTRIES_BYTES = 64 << 20;

  private static final int MAX_COPIES_BYTES = 32 << 20;

  /// A water with its twin, buffer, views and place in a list is 410 bytes.
  static final int WATER_BYTES = 448;

  /// A stream, with its counters and its spring, is 1,900 bytes.
  static final int STREAM_BYTES = 2 << 10;

  /// The bytes for the place of a single record that a sorter notes: some 40, and as much again
  /// each time that its part of a bucket is divided once more.
  static final int KNOWN_BYTES = 128;

  private static final int MAX_KNOWN_BYTES = 32 << 20;

  private static final long MAX_BYTES = 1L << 40;

  /// A process of a run has so much at least.
  private static final long LEAST_BYTES = 64 << 20;

  /// Returns the limits of this process's heap.
  static Heap ofProcess() {
    return new Heap(Math.min(Runtime.getRuntime().maxMemory(), MAX_BYTES));
  }

  /// Returns the limits of each of several processes that are started as this one was.
  static Heap ofEach(int processes) {
    return processes == 1
        ? ofProcess()
        : new Heap(Math.max(LEAST_BYTES, ofProcess().bytes / processes));
  }

  /// Returns how many records each of this many sorters may sort at a time.
  int entries(int sorters) {
    long all = Math.min(bytes / 4, MAX_ENTRIES_BYTES) / BucketSorter.ENTRY_BYTES;
    return (int) Math.max(1, all / sorters);
  }

  /// Returns how much all partitioners together may copy to it at a time; sorters may as much
  /// again.
  int copyBytes() {
    return (int) Math.min(bytes / 8, MAX_COPIES_BYTES);
  }

  /// Returns how many places of single records each of this many sorters may note.
  int knownRecords(int sorters) {
    return (int) (Math.min(bytes / 8, MAX_KNOWN_BYTES) / KNOWN_BYTES / sorters);
  }

  /// Returns how many waters there may be.
  long waters() {
    return Math.max(1, bytes / 4 / WATER_BYTES);
  }

  /// Returns how many streams there may be.
  long streams() {
    return Math.max(1, bytes / 8 / STREAM_BYTES);
  }
}
