package dev.tigris.sort;

import dev.tigris.memory.Jbuf;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What the modules of one sort of lines share: the order, the plan, the input and the place to
/// write to, which do not change, and what they report, which is summed here.
///
/// Thread rule: any thread.
final class LineRun {
  private final LineOrder order;
  private final LinePlan plan;
  private final LineInputs inputs;
  private final long inputBytes;
  private final LineSplitters splitters;
  private final TemporaryFolder folder;
  private final OrderedOutput output;
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

  LineRun(
      LineOrder order,
      LinePlan plan,
      LineInputs inputs,
      LineSplitters splitters,
      TemporaryFolder folder,
      OrderedOutput output,
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

  TemporaryFolder folder() {
    return folder;
  }

  OrderedOutput output() {
    return output;
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

  @Nullable LinePart nextPart() {
    long number = nextPart.getAndIncrement();
    return number < inputs.parts() ? inputs.part(number) : null;
  }

  void partitioned(long bytes) {
    progress.report(Progress.Phase.PARTITION, partitionedBytes.addAndGet(bytes), inputBytes);
  }

  /// A partitioner has read its last line.
  void wasRead(long lineCount, long checksum) throws SortException {
    lines.addAndGet(lineCount);
    readSum.addAndGet(checksum);
    notePeak();
    inputs.requireUnchanged();
  }

  /// Lines were written, with this checksum.
  void kept(long lineCount, long checksum) {
    keptLines.addAndGet(lineCount);
    writtenSum.addAndGet(checksum);
  }

  /// A bucket of so many bytes was sorted and written.
  void sorted(long bytes) {
    progress.report(
        Progress.Phase.SORT, Math.min(inputBytes, sortedBytes.addAndGet(bytes)), inputBytes);
  }

  void spilled(long bytes) {
    spilledBytes.addAndGet(bytes);
    notePeak();
  }

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
