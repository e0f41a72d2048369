// Over 400 lines: one plan, and how each part of it follows from the memory and the others.
package dev.tigris.sort;

import dev.tigris.flow.Water;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

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
/// What is known of the records lies on the heap, and blocks and small buckets are copied there:
/// that comes on top, and stays small ([Heap]).
///
/// On several processes, the plan is that of each one, and the number of buckets that of all.
///
/// There is a stream from each partitioner to each sorter, so what is on its way grows by the
/// square of the processors. Where they are many for the memory, or the records large, fewer waters
/// are on their way at a time, and then fewer processors are used.
///
/// @param partitioners how many modules read and partition
/// @param sorters how many modules sort and write
/// @param window how many waters may be on their way from one of them to another
/// @param buckets how many buckets to aim for
/// @param waterBytes how many bytes a water has, including the buffer's own header
/// @param readBytes how much a partitioner reads at a time
/// @param outputBytes how much a sorter writes at a time
/// @param scanBytes how much it reads at a time of what it has spilled and cannot load
/// @param sortRecords how many records a sorter sorts at a time
/// @param loadRecords how many spilled ones of these it can load
/// @param loadBytes what it loads them into
/// @param blockBytes how much a partitioner takes to the heap at a time
/// @param copyBytes how large a bucket may be to be sorted in a copy on the heap
/// @param knownRecords of how many records a sorter may know where each is
/// @param keepBytes how much all sorters together hold before they spill
record SortPlan(
    int partitioners,
    int sorters,
    int window,
    int buckets,
    int waterBytes,
    int readBytes,
    int outputBytes,
    int scanBytes,
    int sortRecords,
    int loadRecords,
    long loadBytes,
    int blockBytes,
    int copyBytes,
    int knownRecords,
    long keepBytes) {

  private static final int WINDOW = 4;

  /// A bucket that is sorted from memory is as large as leaves two of it in a sorter's share of the
  /// heap, within these: fewer buckets get more of each block, smaller ones stay in the cache.
  private static final long MIN_BUCKET_BYTES = 1 << 20;

  private static final long MAX_BUCKET_BYTES = 2 << 20;

  /// Where each is read back in one go, larger ones keep the reads long, and still fit the cache of
  /// two processors.
  private static final long EXTERNAL_BUCKET_BYTES = 4 << 20;

  /// What a bucket should hold before it is spilled, for long writes and reads.
  private static final long SPILL_BYTES = 512 << 10;

  static final int MAX_BUCKETS = 4096;

  /// Sorters in several processes get their shares within so many parts of them.
  private static final int BUCKETS_PER_SORTER = 4;

  /// A sorter sorts so many records at a time, however large they are: those that are in waters
  /// need not be loaded.
  private static final int MIN_SORT_RECORDS = 1024;

  private static final int BLOCK_BYTES = 256 << 10;

  /// What of a water is not records: the engine's own header, and the partitioners'.
  private static final int WATER_OVERHEAD = Water.HEADER_BYTES + PartitionSource.HEADER_BYTES;

  private static final int WATER_BYTES = 64 << 10;

  /// Waters are larger than that, up to this, where it costs next to nothing: in one pass, with
  /// records of which many fit one, and as long as the last ones of a bucket, one from each
  /// partitioner, are at most a quarter of it. What a water costs apart from its bytes counts most
  /// where code is still interpreted.
  private static final int AMPLE_WATER_BYTES = 256 << 10;

  private static final int AMPLE_RECORDS = 64;

  private static final int MIN_WATER_BYTES = 8 << 10;

  /// Larger ones hold a single record each.
  private static final int MAX_WATER_BYTES = 1 << 20;

  private static final int READ_BYTES = 256 << 10;
  private static final int DIRECT_READ_BYTES = 1 << 20;
  private static final int OUTPUT_BYTES = 2 << 20;
  private static final int MIN_BUFFER_BYTES = 64 << 10;

  /// With less, a bucket could not be distributed, but would be scanned again and again.
  private static final int MIN_LOAD_BYTES = 256 << 10;

  /// What a sort has beside all this: samples, boundaries, rounding of the allocator.
  private static final long BASE_BYTES = 1 << 20;

  /// What is known when the plan is made.
  ///
  /// @param inputBytes the size of the input
  /// @param memoryBytes the memory allowed
  /// @param parallel how many processors all processes together are to use
  /// @param waitsForDisk whether reading waits for a disk
  /// @param heap what the heap has room for
  /// @param processes how many processes share the input; memory and heap are those of each
  record Demand(
      RecordFormat format,
      long inputBytes,
      long memoryBytes,
      int parallel,
      boolean waitsForDisk,
      Heap heap,
      int processes) {
    /// A demand of one process.
    Demand(
        RecordFormat format,
        long inputBytes,
        long memoryBytes,
        int parallel,
        boolean waitsForDisk,
        Heap heap) {
      this(format, inputBytes, memoryBytes, parallel, waitsForDisk, heap, 1);
    }

    Demand withMemory(long bytes) {
      return new Demand(format, inputBytes, bytes, parallel, waitsForDisk, heap, processes);
    }

    /// Returns what each process has of the input, if all have as much.
    long shareBytes() {
      return Math.ceilDiv(inputBytes, processes);
    }

    /// Returns a team of so many processors in each process.
    private Team team(int processors) {
      return Team.of(processors, waitsForDisk, processes, parallel < processes);
    }

    /// Returns the same, with no more memory than there may be waters for.
    Demand withMemoryForWaters() {
      long largest = Math.max(MAX_WATER_BYTES, format.recordSize());
      return withMemory(Math.min(memoryBytes, heap.waters() * largest));
    }

    /// Returns how many processors are of use: not more than the input has parts, or as the heap
    /// has room for the streams of.
    int mostProcessors() {
      long parts = Math.max(1, Math.ceilDiv(shareBytes(), READ_BYTES));
      int processors = (int) Math.min(Math.max(1, parallel / processes), parts);
      while (processors > 1 && team(processors).streams() > heap.streams()) {
        processors--;
      }
      return processors;
    }
  }

  /// How many modules work in a process, and in how many processes.
  private record Team(int partitioners, int sorters, int processes) {
    static Team smallest(int processes) {
      return new Team(1, 1, processes);
    }

    /// Returns a team with more modules than processors, since a module leaves its processor while
    /// it waits: partitioners for a disk that they read from, sorters for their own writes. Where
    /// processes have a processor in common, a module of another one takes it.
    static Team of(int processors, boolean waitsForDisk, int processes, boolean haveInCommon) {
      int waiting = haveInCommon ? processors : 2 * processors;
      return new Team(waitsForDisk ? waiting : processors, waiting, processes);
    }

    /// Returns how many buckets it takes to have all sorters at work. Among those of one process,
    /// another one takes over what processors a sorter without buckets leaves.
    int leastBuckets() {
      long wanted = (long) BUCKETS_PER_SORTER * sorters * processes;
      return processes == 1 ? 1 : (int) Math.min(MAX_BUCKETS, wanted);
    }

    /// Returns how many streams have an end in the process: those to all sorters, and those from
    /// partitioners elsewhere.
    long streams() {
      return (long) partitioners * sorters * (2L * processes - 1);
    }
  }

  /// Makes the plan: with as many processors as leave a good part of the memory to the records, or
  /// with the fewest and the smallest buffers that there can be.
  ///
  /// @param mostBytes as much memory as could be allowed
  /// @throws SortException if the memory is too small; the message says how much is needed
  static SortPlan make(Demand wanted, long mostBytes) throws SortException {
    Demand demand = wanted.withMemoryForWaters();
    for (int processors = demand.mostProcessors(); processors > 0; processors /= 2) {
      SortPlan plan = best(demand, demand.team(processors));
      if (plan.fits() && plan.keepBytes >= demand.memoryBytes / 8) {
        return plan;
      }
    }
    SortPlan plan = best(demand, Team.smallest(demand.processes));
    if (!plan.fits()) {
      plan = smallest(demand);
    }
    if (!plan.fits()) {
      throw tooSmall(demand, mostBytes);
    }
    return plan;
  }

  private static SortPlan best(Demand demand, Team team) {
    int water = ampleWater(demand, team);
    SortPlan plan;
    do {
      plan = inOnePass(demand, team, water);
      if (plan.fits() && plan.keepBytes >= plan.neededToKeep(demand)) {
        return plan;
      }
      water /= 2;
    } while (water >= WATER_BYTES);
    return external(demand, team, demand.memoryBytes);
  }

  private static int ampleWater(Demand demand, Team team) {
    long share = Long.highestOneBit(bucketBytes(demand, team) / (4L * team.partitioners));
    boolean isAmple = demand.format.recordSize() <= WATER_BYTES / AMPLE_RECORDS;
    return isAmple ? Math.clamp(share, WATER_BYTES, AMPLE_WATER_BYTES) : WATER_BYTES;
  }

  /// Returns the plan that fits if any does. Its buffers do not grow with the memory, so more
  /// memory is never too little where less was enough.
  private static SortPlan smallest(Demand demand) {
    return external(demand, Team.smallest(demand.processes), 0);
  }

  private boolean fits() {
    return keepBytes >= sorters * leastToKeep();
  }

  private static SortException tooSmall(Demand demand, long mostBytes) {
    long needed = least(demand);
    String advice =
        needed <= mostBytes
            ? "Allow the sort more memory"
            : ("This process has %d bytes left for a sort: free other buffers, or raise its limit (that"
                    + " of the container, ulimit -v, -Dtigris.memory.budget), and allow the sort more"
                    + " memory")
                .formatted(mostBytes);
    return new SortException(
        SortException.Kind.MEMORY,
        "a memory of %d bytes is too small to sort records of %d bytes: %d bytes are enough. %s"
            .formatted(demand.memoryBytes, demand.format.recordSize(), needed, advice));
  }

  /// Returns the least memory above that of a demand, in steps of a sixteenth, with which the input
  /// can be sorted.
  static long least(Demand demand) {
    long memory = demand.memoryBytes;
    SortPlan plan;
    do {
      memory = roundUpToMegabyte(memory + Math.max(1, memory / 16));
      plan = smallest(demand.withMemory(memory));
    } while (!plan.fits());
    return memory;
  }

  private static long roundUpToMegabyte(long bytes) {
    return (bytes + (1 << 20) - 1) & -(1L << 20);
  }

  private static long bucketBytes(Demand demand, Team team) {
    return Math.clamp(copyBytes(demand, team) / 2, MIN_BUCKET_BYTES, MAX_BUCKET_BYTES);
  }

  private static SortPlan inOnePass(Demand demand, Team team, int water) {
    long wanted = Math.max(team.leastBuckets(), demand.inputBytes / bucketBytes(demand, team));
    int recordSize = demand.format.recordSize();
    int load = Math.clamp(2 * MAX_BUCKET_BYTES / recordSize, 1, demand.heap.entries(team.sorters));
    long buckets = Math.max(wanted, 2 * (demand.inputBytes / recordSize) / load);
    int limited = (int) Math.min(buckets, MAX_BUCKETS);
    return build(demand, team, demand.memoryBytes, limited, load, water);
  }

  private static SortPlan external(Demand demand, Team team, long forBuffers) {
    int recordSize = demand.format.recordSize();
    SortPlan plan = external(demand, team, forBuffers, recordSize);
    // Where a water has one record, many an extent has one, too.
    return perWater(plan.waterBytes, recordSize) > 1
        ? plan
        : external(demand, team, forBuffers, SpillFile.extentBytes(1, recordSize));
  }

  /// Makes a plan for records that take `loaded` bytes each where a bucket is loaded.
  private static SortPlan external(Demand demand, Team team, long forBuffers, long loaded) {
    int recordSize = demand.format.recordSize();
    long mostWork = Math.max(MIN_LOAD_BYTES, forBuffers / (4L * team.sorters));
    long mostLoad =
        Math.min(mostWork / (loaded + BucketSorter.ENTRY_BYTES), AlignedBuffer.MAX_BYTES / loaded);
    mostLoad = Math.clamp(mostLoad, 1, demand.heap.entries(team.sorters));
    // As small as is good for the cache, but not so many that each holds little when it is spilled.
    long buckets =
        Math.min(
            demand.inputBytes / EXTERNAL_BUCKET_BYTES,
            Math.min(MAX_BUCKETS, demand.processes * (demand.memoryBytes / SPILL_BYTES)));
    long bucketRecords = demand.inputBytes / recordSize / Math.max(1, buckets) + 1;
    int load = (int) Math.min(mostLoad, 2 * bucketRecords);
    buckets = Math.max(buckets, 2 * demand.inputBytes / recordSize / load);
    buckets = Math.clamp(buckets, team.leastBuckets(), MAX_BUCKETS);
    return build(demand, team, forBuffers, (int) buckets, load, WATER_BYTES);
  }

  /// Makes a plan whose buffers get shares of `forBuffers`.
  private static SortPlan build(
      Demand demand,
      Team team,
      long forBuffers,
      int wantedBuckets,
      int loadRecords,
      int waterBytes) {
    RecordFormat format = demand.format;
    int recordSize = format.recordSize();
    int partitioners = team.partitioners;
    int sorters = team.sorters;
    long eighth = demand.memoryBytes / 8;

    // Fewer bytes in a water, then fewer buckets, until the open waters fit an eighth, and those
    // on their way another one, of which there are fewer then.
    int least = Math.max(MIN_WATER_BYTES, recordSize + WATER_OVERHEAD);
    long leastForHeap = Math.min(demand.memoryBytes / demand.heap.waters(), MAX_WATER_BYTES);
    least = (int) Math.max(least, leastForHeap);
    int water = Math.max(waterBytes, least);
    long pairs = team.streams();
    long most = Math.max((long) partitioners * wantedBuckets, pairs * (WINDOW + 1));
    while (water / 2 >= least && footprintBytes(water) * most > eighth) {
      water /= 2;
    }
    // A water that is full with one record is sent at once.
    boolean isFullWithOne = perWater(water, recordSize) == 1;
    long fitting = Math.max(1, eighth / (footprintBytes(water) * partitioners));
    int buckets = isFullWithOne ? wantedBuckets : (int) Math.min(wantedBuckets, fitting);
    long open = (long) partitioners * (isFullWithOne ? 1 : buckets);
    int window = Math.clamp(eighth / (footprintBytes(water) * pairs) - 1, 1, WINDOW);
    // A water that was spilled serves only those two again that it went between: while another pair
    // makes one, it lies idle. Among many small ones that does not count.
    long idle = isFullWithOne && partitioners > 1 ? 2 * pairs : 0;

    long sixteenth = forBuffers / 16;
    int read = demand.waitsForDisk ? DIRECT_READ_BYTES : READ_BYTES;
    read = limit(read, sixteenth / partitioners);
    int output = limit(OUTPUT_BYTES, sixteenth / sorters);
    int scan = Math.max(recordSize, output);

    Heap heap = demand.heap;
    int sortRecords = Math.max(loadRecords, Math.min(MIN_SORT_RECORDS, heap.entries(sorters)));
    int copies = 2 + Integer.BYTES / recordSize; // and a number for each record
    int block = Math.min(BLOCK_BYTES, Math.min(read, heap.copyBytes() / (copies * partitioners)));
    long loadBytes =
        isFullWithOne
            ? loadRecords * SpillFile.extentBytes(1, recordSize)
            : (long) loadRecords * recordSize;
    long work =
        AlignedBuffer.footprintBytes(loadBytes)
            + AlignedBuffer.footprintBytes(scan)
            + AlignedBuffer.footprintBytes(format.keySize())
            + (long) sortRecords * BucketSorter.ENTRY_BYTES;
    long spent =
        BASE_BYTES
            + (open + pairs * (window + 1) + idle) * footprintBytes(water)
            + partitioners * AlignedBuffer.footprintBytes(read)
            + sorters * (AlignedBuffer.footprintBytes(output) + work);
    return new SortPlan(
        partitioners,
        sorters,
        window,
        buckets,
        water,
        read,
        output,
        scan,
        sortRecords,
        loadRecords,
        loadBytes,
        block,
        copyBytes(demand, team),
        heap.knownRecords(sorters),
        demand.memoryBytes - spent);
  }

  /// Returns how much each sorter may copy to the heap.
  private static int copyBytes(Demand demand, Team team) {
    long most = Math.min(demand.memoryBytes / 16, demand.heap.copyBytes());
    return (int) Math.min(2 * MAX_BUCKET_BYTES, most / team.sorters);
  }

  /// Writes the plan for other processes.
  void write(DataOutputStream out) throws IOException {
    out.writeInt(partitioners);
    out.writeInt(sorters);
    out.writeInt(window);
    out.writeInt(buckets);
    out.writeInt(waterBytes);
    out.writeInt(readBytes);
    out.writeInt(outputBytes);
    out.writeInt(scanBytes);
    out.writeInt(sortRecords);
    out.writeInt(loadRecords);
    out.writeLong(loadBytes);
    out.writeInt(blockBytes);
    out.writeInt(copyBytes);
    out.writeInt(knownRecords);
    out.writeLong(keepBytes);
  }

  /// Reads what [#write] has written.
  static SortPlan read(DataInputStream in) throws IOException {
    return new SortPlan(
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readLong(),
        in.readInt(),
        in.readInt(),
        in.readInt(),
        in.readLong());
  }

  /// Returns how many records fit a water.
  static int perWater(int waterBytes, int recordSize) {
    return (waterBytes - WATER_OVERHEAD) / recordSize;
  }

  private static int limit(int bytes, long limit) {
    return (int) Math.min(bytes, Math.max(limit, MIN_BUFFER_BYTES));
  }

  /// Returns how much memory a water takes, where `waterBytes` counts its header.
  static long footprintBytes(int waterBytes) {
    return Water.footprintBytes(waterBytes - Water.HEADER_BYTES);
  }

  /// Returns how much the whole input takes in waters: the last of each bucket and partitioner may
  /// be nearly empty, but that is what open waters are counted for; a share is wasted at the end of
  /// each, where the next record did not fit.
  private long neededToKeep(Demand demand) {
    int recordSize = demand.format.recordSize();
    int perWater = perWater(waterBytes, recordSize);
    long waters = demand.shareBytes() / recordSize / perWater + 1;
    // Where there is one record in a water, none is nearly empty.
    waters += perWater == 1 ? 0 : (long) partitioners * buckets / 2;
    return waters * footprintBytes(waterBytes);
  }

  /// Returns the least that a sorter should hold: with less it would write waters one by one,
  /// unless they are large.
  long leastToKeep() {
    long water = footprintBytes(waterBytes);
    return Math.max(water, Math.min(4 * water, SPILL_BYTES));
  }
}
