package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.memory.Jbuf;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What the modules of one sort of lines share: the order, the plan, the input and the place to
/// write to, which do not change, and what they report, which is summed here.
///
/// Thread rule: any thread.
class LineRun {
  private final LineOrder order;
  private final LinePlan plan;
  private final LineInputs inputs;
  private final long inputBytes;
  private final LineSplitters splitters;
  private final Path folder;
  private final @Nullable OrderedOutput output;
  private final Progress progress;

  private final AtomicLong nextPart = new AtomicLong();
  private final AtomicLong partitionedBytes = new AtomicLong();
  private final AtomicLong sortedBytes = new AtomicLong();
  private final AtomicLong spilledBytes = new AtomicLong();
  private final AtomicLong lines = new AtomicLong();
  private final AtomicLong keptLines = new AtomicLong();
  private final AtomicLong readSum = new AtomicLong();
  private final AtomicLong writtenSum = new AtomicLong();
  private final long otherBytes = Jbuf.use().usedBytes();
  private final AtomicLong peakBytes = new AtomicLong();

  /// A run.
  ///
  /// @param folder for temporary files
  /// @param output to which all sorters write in turn; null where each has a place
  LineRun(
      LineOrder order,
      LinePlan plan,
      LineInputs inputs,
      LineSplitters splitters,
      Path folder,
      @Nullable OrderedOutput output,
      Progress progress) {
    this.order = order;
    this.plan = plan;
    this.inputs = inputs;
    this.splitters = splitters;
    this.folder = folder;
    this.output = output;
    this.progress = progress;
    this.inputBytes = inputs.bytes();
  }

  LineOrder order() {
    return order;
  }

  LinePlan plan() {
    return plan;
  }

  LineSplitters splitters() {
    return splitters;
  }

  /// Where to make a temporary file, which is not there yet.
  Path place(String name) throws SortException {
    return folder.resolve(name);
  }

  /// Returns how many sorters have places of their own in the output, and have to be told how many
  /// bytes come before. None where they write in turn.
  int placedSorters() {
    return 0;
  }

  /// The output of a sorter, until [#close].
  ///
  /// @param bytesBefore how many bytes of lines go to the sorters before it
  OrderedOutput output(ModuleContext sorter, long bytesBefore) throws SortException {
    return Objects.requireNonNull(output);
  }

  /// A sorter has written all its lines.
  void wrote(ModuleContext from) throws SortException {
    // The job ends the output of all.
  }

  /// A sorter needs its output no more, whether it has asked for it or not.
  void close(int sorter) {
    // The job closes it.
  }

  /// The sorter that gets a bucket. Neighbours get neighbouring buckets, so that all are at work
  /// while the output is written in order.
  int sorterOf(int bucket) {
    return bucket % plan.processors();
  }

  /// The first row of CSV, without its end; null without one.
  byte @Nullable [] header() {
    return inputs.header();
  }

  LineInputs inputs() {
    return inputs;
  }

  @Nullable LinePart nextPart() {
    long number = nextPart.getAndIncrement();
    return number < inputs.parts() ? inputs.part(number) : null;
  }

  /// A module in this process has partitioned so many bytes.
  void partitioned(ModuleContext from, long bytes) {
    progress.report(Progress.Phase.PARTITION, partitionedBytes.addAndGet(bytes), inputBytes);
  }

  /// A partitioner has read its last line.
  void wasRead(ModuleContext from, long lineCount, long checksum) throws SortException {
    lines.addAndGet(lineCount);
    readSum.addAndGet(checksum);
    notePeak();
    inputs.requireUnchanged();
  }

  /// Lines were written, with this checksum.
  void kept(ModuleContext from, long lineCount, long checksum) {
    keptLines.addAndGet(lineCount);
    writtenSum.addAndGet(checksum);
  }

  /// A bucket of so many bytes was sorted and written.
  void sorted(ModuleContext from, long bytes) {
    progress.report(
        Progress.Phase.SORT, Math.min(inputBytes, sortedBytes.addAndGet(bytes)), inputBytes);
  }

  void spilled(ModuleContext from, long bytes) {
    spilledBytes.addAndGet(bytes);
    notePeak();
  }

  /// Takes what the runs of other processes have done together.
  void take(Totals totals) {
    lines.set(totals.lines);
    keptLines.set(totals.keptLines);
    readSum.set(totals.readSum);
    writtenSum.set(totals.writtenSum);
    spilledBytes.set(totals.spilledBytes);
    peakBytes.set(totals.peakBytes);
  }

  /// The work of several processes.
  ///
  /// @param lines how many were read
  /// @param keptLines how many were written
  /// @param readSum the checksum of what was read
  /// @param writtenSum that of what was written
  /// @param spilledBytes how much went to temporary files
  /// @param peakBytes the most memory of one of them
  record Totals(
      long lines,
      long keptLines,
      long readSum,
      long writtenSum,
      long spilledBytes,
      long peakBytes) {}

  private void notePeak() {
    peakBytes.accumulateAndGet(Jbuf.use().usedBytes() - otherBytes, Math::max);
  }

  /// Refuses an output whose lines are not those of the input, where none was to be left out.
  ///
  /// @throws SortException if one differs
  void requireWhole() throws SortException {
    boolean same =
        order.isUnique() || (lines.get() == keptLines.get() && readSum.get() == writtenSum.get());
    if (!same) {
      throw new SortException(
          SortException.Kind.DATA,
          ("the sorted lines are not those that were read: %d of %d lines, checksum %x instead of %x. Test"
                  + " this machine's memory and disk")
              .formatted(keptLines.get(), lines.get(), writtenSum.get(), readSum.get()));
    }
  }

  long lines() {
    return lines.get();
  }

  long keptLines() {
    return keptLines.get();
  }

  long inputBytes() {
    return inputBytes;
  }

  long spilledBytes() {
    return spilledBytes.get();
  }

  long peakBytes() {
    return peakBytes.get();
  }
}
