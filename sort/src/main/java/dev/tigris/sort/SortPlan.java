package dev.tigris.sort;

/// How a sort divides its memory, fixed before it starts:
///
/// ```
/// memory >= keep                       waters that sorters hold until they sort them
///         + open                       the waters that partitioners fill: one for each bucket
///         + flight                     waters on their way, up to the window of each stream
///         + partitioners * read        what they read the input into
///         + sorters * (output + work)  what they gather records in; entries, spilled records
/// ```
///
/// A bucket is meant to be small enough that it is sorted inside the second-level cache. Where the
/// input does not fit, buckets are as large as half of what a sorter can load at a time, so that a
/// bucket that comes out larger than the sample promised can still be loaded.
///
/// Blocks and small buckets are copied to the heap, which comes on top of it and stays small.
///
/// There is a stream from each partitioner to each sorter, so what is on its way grows by the
/// square of the processors: where they are many and the memory is not, fewer are used.
///
/// @param partitioners how many modules read and partition
/// @param sorters how many modules sort and write
/// @param buckets how many buckets to aim for
/// @param waterBytes how many bytes a water has, including the buffer's own header
/// @param readBytes how much a partitioner reads at a time
/// @param outputBytes how much a sorter writes at a time
/// @param loadRecords how many records a sorter sorts at a time
/// @param blockBytes how much a partitioner takes to the heap at a time
/// @param copyBytes how large a bucket may be to be sorted in a copy on the heap
/// @param keepBytes how much all sorters together hold before they spill
record SortPlan(
    int partitioners,
    int sorters,
    int buckets,
    int waterBytes,
    int readBytes,
    int outputBytes,
    int loadRecords,
    int blockBytes,
    int copyBytes,
    long keepBytes) {

  static final int WINDOW = 4;

  private static final long BUCKET_BYTES = 1 << 20;

  /// Where each is read back in one go, larger ones keep the reads long, and still fit the cache of
  /// two processors.
  private static final long EXTERNAL_BUCKET_BYTES = 4 << 20;

  /// What a bucket should hold before it is spilled, for long writes and reads.
  private static final long SPILL_BYTES = 512 << 10;

  private static final int MAX_BUCKETS = 4096;

  /// What the entries of all sorters may take of the heap, which is small.
  static final int ENTRIES_BYTES = 64 << 20;

  /// What the partitioners' blocks may take of it, and as much again the sorters' copies.
  static final int COPIES_BYTES = 32 << 20;

  private static final int BLOCK_BYTES = 256 << 10;

  private static final int WATER_BYTES = 64 << 10;
  private static final int MIN_WATER_BYTES = 8 << 10;

  /// A water takes a few hundred bytes of the heap, which is small: so many of them fit it.
  private static final int MAX_WATERS = 128 << 10;

  private static final int READ_BYTES = 256 << 10;
  private static final int DIRECT_READ_BYTES = 1 << 20;
  private static final int OUTPUT_BYTES = 2 << 20;
  private static final int MIN_BUFFER_BYTES = 64 << 10;

  /// What a sort has beside all this: samples, boundaries, rounding of the allocator.
  private static final long BASE_BYTES = 1 << 20;

  /// What is known when the plan is made.
  ///
  /// @param inputBytes the size of the input
  /// @param memoryBytes the memory allowed
  /// @param parallel how many processors to use
  /// @param waitsForDisk whether reading waits for a disk
  record Demand(
      RecordFormat format, long inputBytes, long memoryBytes, int parallel, boolean waitsForDisk) {
    Demand withParallel(int processors) {
      return new Demand(format, inputBytes, memoryBytes, processors, waitsForDisk);
    }

    Demand withMemory(long bytes) {
      return new Demand(format, inputBytes, bytes, parallel, waitsForDisk);
    }
  }

  /// Makes the plan.
  ///
  /// @throws SortException if the memory is too small; the message says how much is needed
  static SortPlan make(Demand demand) throws SortException {
    Demand fitting = demand;
    SortPlan plan = best(demand);
    while (!plan.fits() && fitting.parallel > 1) {
      fitting = fitting.withParallel(fitting.parallel / 2);
      plan = best(fitting);
    }
    if (!plan.fits()) {
      throw new SortException(
          SortException.Kind.MEMORY,
          ("a memory of %d bytes is too small to sort records of %d bytes: at least %d bytes are"
                  + " needed. Allow more memory")
              .formatted(demand.memoryBytes, demand.format.recordSize(), least(fitting)));
    }
    return plan;
  }

  private static SortPlan best(Demand demand) {
    SortPlan plan = inOnePass(demand);
    return plan.fits() && plan.keepBytes >= plan.neededToKeep(demand) ? plan : external(demand);
  }

  private boolean fits() {
    return keepBytes >= leastToKeep();
  }

  /// The least memory, in steps of a sixteenth, with which the input can be sorted.
  private static long least(Demand demand) {
    long memory = demand.memoryBytes;
    SortPlan plan;
    do {
      memory = roundUpToMegabyte(memory + Math.max(1, memory / 16));
      plan = external(demand.withMemory(memory));
    } while (!plan.fits());
    return memory;
  }

  private static long roundUpToMegabyte(long bytes) {
    return (bytes + (1 << 20) - 1) & -(1L << 20);
  }

  private static SortPlan inOnePass(Demand demand) {
    long wanted = Math.max(1, demand.inputBytes / BUCKET_BYTES);
    int recordSize = demand.format.recordSize();
    int load = Math.clamp(4 * BUCKET_BYTES / recordSize, 1, mostRecords(demand));
    long buckets = Math.max(wanted, 2 * (demand.inputBytes / recordSize) / load);
    return build(demand, (int) Math.min(buckets, MAX_BUCKETS), load);
  }

  private static SortPlan external(Demand demand) {
    int recordSize = demand.format.recordSize();
    long mostWork = demand.memoryBytes / (4L * sorters(demand));
    int mostLoad =
        Math.clamp(mostWork / (recordSize + BucketSorter.ENTRY_BYTES), 1, mostRecords(demand));
    // As small as is good for the cache, but not so many that each holds little when it is spilled.
    long buckets =
        Math.min(
            demand.inputBytes / EXTERNAL_BUCKET_BYTES,
            Math.min(MAX_BUCKETS, demand.memoryBytes / SPILL_BYTES));
    long bucketRecords = demand.inputBytes / recordSize / Math.max(1, buckets) + 1;
    int load = (int) Math.min(mostLoad, 2 * bucketRecords);
    buckets = Math.max(buckets, 2 * demand.inputBytes / recordSize / load);
    return build(demand, (int) Math.max(1, Math.min(buckets, MAX_BUCKETS)), load);
  }

  /// How many records a sorter may sort at a time, for what that takes of the heap.
  private static int mostRecords(Demand demand) {
    return Math.max(1, ENTRIES_BYTES / BucketSorter.ENTRY_BYTES / sorters(demand));
  }

  private static int sorters(Demand demand) {
    // A sorter waits for its own writes: a second one for each processor computes meanwhile.
    return 2 * demand.parallel;
  }

  private static SortPlan build(Demand demand, int wantedBuckets, int loadRecords) {
    RecordFormat format = demand.format;
    int recordSize = format.recordSize();
    int partitioners = demand.waitsForDisk ? 2 * demand.parallel : demand.parallel;
    int sorters = sorters(demand);
    long eighth = demand.memoryBytes / 8;

    // Fewer bytes in a water, then fewer buckets, until the open waters fit an eighth, and those
    // on their way another one.
    int overhead = PartitionSource.HEADER_BYTES + SortRun.WATER_OVERHEAD;
    int least = Math.max(MIN_WATER_BYTES, recordSize + overhead);
    least = (int) Math.max(least, Math.min(demand.memoryBytes / MAX_WATERS, 1 << 20));
    int water = Math.max(WATER_BYTES, least);
    long flight = (long) partitioners * sorters * (WINDOW + 1L);
    long most = Math.max((long) partitioners * wantedBuckets, flight);
    while (water / 2 >= least && rounded(water) * most > eighth) {
      water /= 2;
    }
    long fitting = Math.max(1, eighth / (rounded(water) * partitioners));
    int buckets = (int) Math.min(wantedBuckets, fitting);

    long sixteenth = demand.memoryBytes / 16;
    int read = demand.waitsForDisk ? DIRECT_READ_BYTES : READ_BYTES;
    read = Math.max(recordSize, limit(read, sixteenth / partitioners));
    int output = Math.max(recordSize, limit(OUTPUT_BYTES, sixteenth / sorters));

    int block = Math.min(BLOCK_BYTES, Math.min(read, COPIES_BYTES / (2 * partitioners)));
    int copy = (int) Math.min(2 * BUCKET_BYTES, Math.min(sixteenth, COPIES_BYTES) / sorters);
    long spent =
        BASE_BYTES
            + (long) partitioners * buckets * rounded(water)
            + flight * rounded(water)
            + partitioners * rounded(AlignedBuffer.footprint(read))
            + sorters * rounded(AlignedBuffer.footprint(output))
            + (long) sorters * loadRecords * (recordSize + BucketSorter.ENTRY_BYTES);
    return new SortPlan(
        partitioners,
        sorters,
        buckets,
        water,
        read,
        output,
        loadRecords,
        block,
        copy,
        demand.memoryBytes - spent);
  }

  private static int limit(int bytes, long limit) {
    return (int) Math.min(bytes, Math.max(limit, MIN_BUFFER_BYTES));
  }

  /// What the allocator takes for so many bytes: four sizes to a power of two, and whole units of
  /// 2 MiB above 1 MiB.
  static long rounded(long bytes) {
    long step = bytes > 1 << 20 ? 2 << 20 : Math.max(64, Long.highestOneBit(bytes) / 4);
    return (bytes + step - 1) & -step;
  }

  /// How much the whole input takes in waters: the last of each bucket and partitioner may be
  /// nearly empty, but that is what open waters are counted for; a share is wasted at the end of
  /// each, where the next record did not fit.
  private long neededToKeep(Demand demand) {
    int recordSize = demand.format.recordSize();
    int room = waterBytes - SortRun.WATER_OVERHEAD - PartitionSource.HEADER_BYTES;
    int perWater = room / recordSize * recordSize;
    long waters = demand.inputBytes / perWater + 1 + (long) partitioners * buckets / 2;
    return waters * rounded(waterBytes);
  }

  /// A sorter that holds less than a few waters would write waters one by one.
  private long leastToKeep() {
    return 4L * sorters * rounded(waterBytes);
  }
}
