package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.ModuleResults;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The state that the modules of a sort of lines share in one of its processes. It tells what they
/// do as results of the run, from which [ClusterLines] makes the whole.
///
/// Sorters get neighbouring buckets, and each writes its own range of the output:
///
/// ```
///   | header | lines of sorter 0 | lines of sorter 1 | lines of sorter 2 |
///            |                   |                   '- header + the bytes of 0 and 1
///            |                   '- header + the bytes of sorter 0
///            '- the sorter of the first bucket writes the header too
/// ```
///
/// The bytes are those of the input. Where only the first of equal lines is kept, a range is not
/// filled to its end, and the gaps are closed in the end.
final class LineProcessRun extends LineRun {
  static final String LINES = "lines";
  static final String KEPT = "lines.kept";
  static final String READ = "checksum.read.";
  static final String WRITTEN = "checksum.written.";

  private static final long LOW = 0xffff_ffffL;

  private final OutputFile file;
  private final Path path;
  private final int sorters;
  private final int process;
  private final int[] sorterOf;
  private final Map<Integer, Range> ranges = new HashMap<>();

  /// What a sorter of this process writes.
  private record Range(long start, PlacedStream stream, OrderedOutput output) {}

  /// @param processes how many there are
  /// @param process which one this is
  LineProcessRun(
      SharedLines shared, LineInputs inputs, OutputFile file, int processes, int process) {
    super(
        shared.order(),
        shared.plan(),
        inputs,
        shared.splitters(),
        shared.folder(),
        null,
        Progress.NONE);
    this.file = file;
    this.path = shared.output();
    this.sorters = shared.plan().processors() * processes;
    this.process = process;
    this.sorterOf = shared.splitters().shared(sorters);
  }

  @Override
  int placedSorters() {
    return sorters;
  }

  @Override
  int sorterOf(int bucket) {
    return sorterOf[bucket];
  }

  @Override
  Path place(String name) throws SortException {
    return ProcessRun.withoutLeftovers(super.place(name));
  }

  @Override
  synchronized OrderedOutput output(int sorter, long bytesBefore) throws SortException {
    int first = 0;
    while (first < sorterOf.length && sorterOf[first] < sorter) {
      first++;
    }
    byte @Nullable [] header = header();
    long start = bytesBefore + (first == 0 || header == null ? 0 : header.length + 1);
    PlacedStream stream = new PlacedStream(file, start);
    OrderedOutput output = new OrderedOutput(stream, path, Compression.NONE, first);
    ranges.put(sorter, new Range(start, stream, output));
    return output;
  }

  @Override
  synchronized void wrote(ModuleContext from) throws SortException {
    Range range = Objects.requireNonNull(ranges.get(from.replica()));
    range.stream.finish();
    ModuleResults results = from.results();
    results.max(ProcessRun.START + from.replica(), range.start);
    results.max(ProcessRun.LENGTH + from.replica(), range.output.bytes());
    results.max(ProcessRun.PEAK_BYTES + process, peakBytes());
  }

  @Override
  synchronized void close(int sorter) {
    Range range = ranges.remove(sorter);
    if (range != null) {
      range.stream.close();
    }
  }

  @Override
  void partitioned(ModuleContext from, long bytes) {
    from.results().add(ProcessRun.READ_BYTES + process, bytes);
  }

  @Override
  void wasRead(ModuleContext from, long lineCount, long checksum) throws SortException {
    super.wasRead(from, lineCount, checksum);
    from.results().add(LINES, lineCount);
    tell(from.results(), READ, checksum);
  }

  @Override
  void kept(ModuleContext from, long lineCount, long checksum) {
    from.results().add(KEPT, lineCount);
    tell(from.results(), WRITTEN, checksum);
  }

  @Override
  void sorted(ModuleContext from, long bytes) {
    from.results().add(ProcessRun.SORTED_BYTES + process, bytes);
  }

  @Override
  void spilled(ModuleContext from, long bytes) {
    super.spilled(from, bytes);
    from.results().add(ProcessRun.SPILLED_BYTES + process, bytes);
  }

  /// Tells a checksum in two parts, whose sums fit a `long`.
  private static void tell(ModuleResults results, String name, long sum) {
    results.add(name + 0, sum & LOW);
    results.add(name + 1, sum >>> Integer.SIZE);
  }

  /// Returns the sum of checksums that modules have told in parts.
  static long checksum(Map<String, Long> told, String name) {
    return told.getOrDefault(name + 0, 0L) + (told.getOrDefault(name + 1, 0L) << Integer.SIZE);
  }
}
