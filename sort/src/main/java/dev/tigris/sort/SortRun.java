package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.memory.Jbuf;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What the modules of one sort share: the plan, the input and the places to write to, which do
/// not change, and what they report, which is summed here.
///
/// Thread rule: any thread.
class SortRun {
  private final RecordOrder order;
  private final @Nullable RecordCode code;
  private final RecordFormat format;
  private final SortPlan plan;
  private final InputFiles inputs;
  private final Splitters splitters;
  private final Path folder;
  private final @Nullable OutputFile output;
  private final @Nullable OrderedOutput ordered;
  private final boolean forced;
  private final Progress progress;
  private final int processes;

  /// Per bucket, the sorter that gets it, and its place among the buckets of that one.
  private final int[] sorterOf;

  private final int[] placeOf;

  /// Per sorter, its buckets.
  private final int[][] bucketsOf;

  private final double[] shares;

  private final AtomicLong nextChunk = new AtomicLong();
  private final AtomicLong partitionedBytes = new AtomicLong();
  private final AtomicLong sortedBytes = new AtomicLong();
  private final AtomicLong spilledBytes = new AtomicLong();
  private final long otherBytes = Jbuf.use().usedBytes();
  private final AtomicLong peakBytes = new AtomicLong();
  private final AtomicLong sortStarted = new AtomicLong();
  private final AtomicInteger partitioning;
  private UInt128 readSum = UInt128.ZERO;
  private UInt128 writtenSum = UInt128.ZERO;

  /// Per sorter, where in the output it has begun to write, and how many bytes it has written:
  /// fewer than planned where records are left out.
  private final long[] writtenFrom;

  private final long[] writtenBytes;
  private final AtomicLong keptRecords = new AtomicLong();

  /// A run with one place to write to; without any, each sorter makes a file of its own.
  ///
  /// @param output a file of which each sorter writes its own part
  /// @param ordered what is written bucket after bucket
  /// @param processes how many processes sort, each by a run of its own with an equal plan
  SortRun(
      RecordOrder order,
      @Nullable RecordCode code,
      SortPlan plan,
      InputFiles inputs,
      Splitters splitters,
      Path folder,
      @Nullable OutputFile output,
      @Nullable OrderedOutput ordered,
      boolean forced,
      Progress progress,
      int processes) {
    this.order = order;
    this.code = code;
    this.format = code == null ? order.format() : code.encoded();
    this.plan = plan;
    this.inputs = inputs;
    this.splitters = splitters;
    this.folder = folder;
    this.output = output;
    this.ordered = ordered;
    this.forced = forced;
    this.progress = progress;
    this.processes = processes;
    int sorters = sorters();
    this.partitioning = new AtomicInteger(plan.partitioners());
    this.sorterOf = new int[splitters.buckets()];
    this.placeOf = new int[splitters.buckets()];
    this.bucketsOf = new int[sorters][];
    this.shares = new double[sorters];
    this.writtenFrom = new long[sorters];
    this.writtenBytes = new long[sorters];
    int[] counts = new int[sorters];
    double sum = 0;
    for (int bucket = 0; bucket < sorterOf.length; bucket++) {
      double middle = sum + splitters.share(bucket) / 2;
      int sorter = sorter(bucket, middle);
      sorterOf[bucket] = sorter;
      placeOf[bucket] = counts[sorter]++;
      shares[sorter] += splitters.share(bucket);
      sum += splitters.share(bucket);
    }
    for (int sorter = 0; sorter < counts.length; sorter++) {
      bucketsOf[sorter] = new int[counts[sorter]];
    }
    for (int bucket = 0; bucket < sorterOf.length; bucket++) {
      bucketsOf[sorterOf[bucket]][placeOf[bucket]] = bucket;
    }
  }

  /// Chooses the sorter of a bucket. With a file for each, or a part of one, a sorter gets
  /// neighbouring buckets with about its share of the records. Of an output that is written bucket
  /// after bucket, neighbours get neighbouring ones, so that all are at work.
  private int sorter(int bucket, double middle) {
    return ordered == null ? (int) Math.min(sorters() - 1, middle * sorters()) : bucket % sorters();
  }

  /// Returns how many sorters there are, in all processes.
  final int sorters() {
    return plan.sorters() * processes;
  }

  RecordOrder order() {
    return order;
  }

  /// How records are encoded while they are sorted; null where they are not.
  @Nullable RecordCode code() {
    return code;
  }

  /// The format of records while they are sorted.
  RecordFormat format() {
    return format;
  }

  Splitters splitters() {
    return splitters;
  }

  SortPlan plan() {
    return plan;
  }

  InputFiles inputs() {
    return inputs;
  }

  /// Returns where to make a temporary file, or a part of the output, that is not there yet.
  Path place(String name) throws SortException {
    return folder.resolve(name);
  }

  @Nullable OutputFile output() {
    return output;
  }

  /// The output that is written bucket after bucket; null where there is none.
  @Nullable OrderedOutput ordered() {
    return ordered;
  }

  /// Returns whether what is written is to be forced to the disk.
  boolean isForced() {
    return forced;
  }

  /// Returns what a sorter writes to if that is a stream; null if it writes to a file itself.
  @Nullable OutputPart part(ModuleContext sorter) {
    return null;
  }

  int sorterOf(int bucket) {
    return sorterOf[bucket];
  }

  /// Returns the place of a bucket among those of its sorter.
  int placeOf(int bucket) {
    return placeOf[bucket];
  }

  /// Returns the buckets that a sorter gets, in order.
  int[] bucketsOf(int sorter) {
    return bucketsOf[sorter];
  }

  /// Returns how much a sorter may hold: of what the sorters of its process keep, its expected
  /// share, on top of the least. Replicas are dealt to processes in turn.
  long keepBytes(int sorter) {
    long least = plan.leastToKeep();
    long rest = plan.keepBytes() - plan.sorters() * least;
    double sum = 0;
    for (int other = sorter % processes; other < shares.length; other += processes) {
      sum += shares[other];
    }
    double share = sum > 0 ? shares[sorter] / sum : 1.0 / plan.sorters();
    return least + (long) (rest * share);
  }

  InputFiles.@Nullable Chunk nextChunk() {
    long chunk = nextChunk.getAndIncrement();
    return chunk < inputs.chunks() ? inputs.chunk(chunk) : null;
  }

  /// A module in this process has partitioned so many bytes.
  void partitioned(ModuleContext from, long bytes) {
    long done = partitionedBytes.addAndGet(bytes);
    progress.report(Progress.Phase.PARTITION, done, inputs.bytes());
  }

  /// One partitioner has read its last record; `sum` is the checksum of all it has read.
  ///
  /// @throws SortException if it was the last one, and an input has changed meanwhile
  synchronized void wasRead(ModuleContext from, UInt128 sum) throws SortException {
    readSum = readSum.plus(sum);
    if (partitioning.decrementAndGet() == 0) {
      inputs.requireUnchanged();
      sortStarted.set(System.nanoTime());
      notePeak();
    }
  }

  void spilled(ModuleContext from, long bytes) {
    spilledBytes.addAndGet(bytes);
  }

  void sorted(ModuleContext from, long records) {
    long done = sortedBytes.addAndGet(records * order.recordSize());
    progress.report(Progress.Phase.SORT, done, inputs.bytes());
  }

  /// One sorter has written its last record.
  ///
  /// @param start where in the output it has begun
  /// @param bytes how much it has written there
  synchronized void wasWritten(ModuleContext from, long start, long bytes, UInt128 sum) {
    writtenSum = writtenSum.plus(sum);
    writtenFrom[from.replica()] = start;
    writtenBytes[from.replica()] = bytes;
    keptRecords.addAndGet(bytes / order.recordSize());
    notePeak();
  }

  private void notePeak() {
    peakBytes.accumulateAndGet(Jbuf.use().usedBytes() - otherBytes, Math::max);
  }

  /// Takes what the runs of other processes have done together.
  synchronized void take(Totals totals) {
    readSum = totals.readSum;
    writtenSum = totals.writtenSum;
    sortedBytes.set(totals.sortedBytes);
    spilledBytes.set(totals.spilledBytes);
    peakBytes.set(totals.peakBytes);
    sortStarted.set(totals.sortStartedNanos);
    long written = 0;
    for (int sorter = 0; sorter < writtenFrom.length; sorter++) {
      writtenFrom[sorter] = totals.writtenFrom[sorter];
      writtenBytes[sorter] = totals.writtenBytes[sorter];
      written += writtenBytes[sorter];
    }
    keptRecords.set(written / order.recordSize());
  }

  /// The work of several processes.
  ///
  /// @param readSum the checksum of what was read
  /// @param writtenSum that of what was written
  /// @param sortedBytes how much was sorted
  /// @param spilledBytes how much went to temporary files
  /// @param peakBytes the most memory of one of them
  /// @param sortStartedNanos when the input was partitioned
  /// @param writtenFrom per sorter, where in the output it has begun to write
  /// @param writtenBytes per sorter, how much it has written
  @SuppressWarnings("ArrayRecordComponent") // nothing compares or keeps it
  record Totals(
      UInt128 readSum,
      UInt128 writtenSum,
      long sortedBytes,
      long spilledBytes,
      long peakBytes,
      long sortStartedNanos,
      long[] writtenFrom,
      long[] writtenBytes) {}

  /// Refuses an output whose records are not those of the input.
  ///
  /// @throws SortException if as much as a bit differs
  synchronized UInt128 checksum() throws SortException {
    // The JDK would first have to make a record's equals() in every process: ten milliseconds.
    boolean isSame = order.isUnique() || readSum.compareTo(writtenSum) == 0;
    if (sortedBytes.get() != inputs.bytes() || !isSame) {
      throw new SortException(
          SortException.Kind.DATA,
          ("the sorted records are not those that were read: %d of %d bytes, checksum %s instead of"
                  + " %s. Nothing was written under the output's name. Test this machine's memory and disk")
              .formatted(sortedBytes.get(), inputs.bytes(), writtenSum.toHex(), readSum.toHex()));
    }
    return readSum;
  }

  /// Closes the gaps that records left out have left between the parts of the sorters.
  ///
  /// @param file the one that all sorters have written to
  synchronized void closeGaps(OutputFile file) throws SortException {
    long end = 0;
    for (int sorter = 0; sorter < writtenFrom.length; sorter++) {
      file.move(writtenFrom[sorter], end, writtenBytes[sorter]);
      end += writtenBytes[sorter];
    }
    file.truncate(end);
  }

  /// How many records were written.
  long keptRecords() {
    return keptRecords.get();
  }

  long spilledBytes() {
    return spilledBytes.get();
  }

  long peakBytes() {
    return peakBytes.get();
  }

  long sortStartedNanos() {
    return sortStarted.get();
  }
}
