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
final class LineProcessRun extends LineToldRun {
  private final OutputFile file;
  private final Path path;
  private final int sorters;
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
        shared.plan().processors() * processes,
        process);
    this.file = file;
    this.path = shared.output();
    this.sorters = shared.plan().processors() * processes;
  }

  @Override
  int placedSorters() {
    return sorters;
  }

  @Override
  synchronized OrderedOutput output(ModuleContext sorter, long bytesBefore) throws SortException {
    int first = firstBucket(sorter.replica());
    byte @Nullable [] header = header();
    long start = bytesBefore + (first == 0 || header == null ? 0 : header.length + 1);
    PlacedStream stream = new PlacedStream(file, start);
    OrderedOutput output = new OrderedOutput(stream, path, Compression.NONE, first);
    ranges.put(sorter.replica(), new Range(start, stream, output));
    return output;
  }

  @Override
  synchronized void wrote(ModuleContext from) throws SortException {
    Range range = Objects.requireNonNull(ranges.get(from.replica()));
    range.stream.finish();
    ModuleResults results = from.results();
    results.max(ProcessRun.START + from.replica(), range.start);
    results.max(ProcessRun.LENGTH + from.replica(), range.output.bytes());
    results.max(ProcessRun.PEAK_BYTES + process(), peakBytes());
  }

  @Override
  synchronized void close(int sorter) {
    Range range = ranges.remove(sorter);
    if (range != null) {
      range.stream.close();
    }
  }
}
