package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.ModuleResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// The state that the modules of a sort share in one of its processes. It tells what they do as
/// results of the run, from which [ClusterSort] makes the whole.
class ProcessRun extends SortRun {
  static final String READ = "checksum.read.";
  static final String WRITTEN = "checksum.written.";
  static final String PARTITIONED_MICROS = "partitioned.micros";
  static final String READ_BYTES = "read.bytes.";
  static final String SORTED_BYTES = "sorted.bytes.";
  static final String SPILLED_BYTES = "spilled.bytes.";
  static final String PEAK_BYTES = "peak.bytes.";
  static final String START = "start.";
  static final String LENGTH = "length.";

  /// A checksum is told in parts of 32 bits, whose sums fit a `long`.
  static final int SUM_PARTS = 4;

  private static final long LOW = 0xffff_ffffL;

  private final int process;

  /// @param records of all inputs, of which this process may have a part
  /// @param processes how many there are
  /// @param process which one this is
  ProcessRun(
      SharedSort sort,
      InputFiles inputs,
      long records,
      @Nullable OutputFile output,
      int processes,
      int process)
      throws SortException {
    super(
        sort.order(),
        RecordCode.of(sort.order(), records),
        sort.plan(),
        inputs,
        sort.splitters(),
        sort.folder(),
        output,
        null,
        sort.isForced(),
        Progress.NONE,
        processes);
    this.process = process;
  }

  /// An attempt of the run that was given up may have left a file there. Its processes are gone.
  @Override
  Path place(String name) throws SortException {
    return withoutLeftovers(super.place(name));
  }

  /// Deletes what lies in a place, and returns it.
  static Path withoutLeftovers(Path place) throws SortException {
    try {
      Files.deleteIfExists(place);
      return place;
    } catch (IOException e) {
      throw SortException.writing(place, e);
    }
  }

  @Override
  void partitioned(ModuleContext from, long bytes) {
    super.partitioned(from, bytes);
    from.results().add(READ_BYTES + process, bytes);
  }

  @Override
  synchronized void wasRead(ModuleContext from, UInt128 sum) throws SortException {
    super.wasRead(from, sum);
    tell(from.results(), READ, sum);
    from.results().max(PARTITIONED_MICROS, micros());
  }

  @Override
  void spilled(ModuleContext from, long bytes) {
    super.spilled(from, bytes);
    from.results().add(SPILLED_BYTES + process, bytes);
  }

  @Override
  void sorted(ModuleContext from, long records) {
    super.sorted(from, records);
    from.results().add(SORTED_BYTES + process, records * order().recordSize());
  }

  @Override
  synchronized void wasWritten(ModuleContext from, long start, long bytes, UInt128 sum) {
    super.wasWritten(from, start, bytes, sum);
    ModuleResults results = from.results();
    tell(results, WRITTEN, sum);
    results.max(START + from.replica(), start);
    results.max(LENGTH + from.replica(), bytes);
    results.max(PEAK_BYTES + process, peakBytes());
  }

  private static void tell(ModuleResults results, String name, UInt128 sum) {
    results.add(name + 0, sum.low() & LOW);
    results.add(name + 1, sum.low() >>> Integer.SIZE);
    results.add(name + 2, sum.high() & LOW);
    results.add(name + 3, sum.high() >>> Integer.SIZE);
  }

  /// Returns the time in microseconds since 1970, which processes of one host agree on.
  static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
