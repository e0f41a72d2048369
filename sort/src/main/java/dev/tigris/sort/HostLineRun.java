package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.ModuleResults;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The state that the modules of a sort of lines share in one process of a host. Each sorter writes
/// a part of its own, of CSV with the first row. It also tells the stage that compares checksums
/// what was read and written.
final class HostLineRun extends LineToldRun {
  private final HostLines.Plan shared;
  private final int neighbours;
  private final AtomicLong next;
  private final Map<Integer, Part> parts = new HashMap<>();
  private final Map<Integer, Long> sums = new HashMap<>();

  /// What a sorter of this process writes.
  private record Part(PartStream stream, OrderedOutput output) {}

  /// @param folder for temporary files
  /// @param process which one this is
  HostLineRun(HostLines.Plan shared, LineInputs inputs, Path folder, int process) {
    super(
        shared.order(),
        shared.plan(),
        inputs,
        shared.splitters(),
        folder,
        shared.sorters(),
        process);
    this.shared = shared;
    this.neighbours = shared.work().share().neighbours(process);
    this.next = new AtomicLong(shared.work().share().place(process));
  }

  /// Of the inputs on its host, processes take parts in turn.
  @Override
  @Nullable LinePart nextPart() {
    long part = next.getAndAdd(neighbours);
    return part < inputs().parts() ? inputs().part(part) : null;
  }

  /// Each part has the first row, and has it when it is begun.
  @Override
  byte @Nullable [] header() {
    return null;
  }

  @Override
  synchronized OrderedOutput output(ModuleContext sorter, long bytesBefore) throws SortException {
    HostFile file = shared.parts().get(sorter.replica());
    PartStream stream = new PartStream(new StreamPart(sorter.output(HostRun.DRAIN), file));
    OrderedOutput output =
        new OrderedOutput(stream, file.path(), Compression.NONE, firstBucket(sorter.replica()));
    parts.put(sorter.replica(), new Part(stream, output));
    byte @Nullable [] row = shared.header();
    if (row != null) {
      byte[] line = Arrays.copyOf(row, row.length + 1);
      line[row.length] = order().rows().delimiter();
      output.write(line, 0, line.length);
    }
    return output;
  }

  @Override
  synchronized void wrote(ModuleContext from) throws SortException {
    Part part = Objects.requireNonNull(parts.get(from.replica()));
    part.stream.finish();
    ModuleResults results = from.results();
    results.max(ProcessRun.LENGTH + from.replica(), part.output.bytes());
    results.max(ProcessRun.PEAK_BYTES + process(), peakBytes());
    tell(from, false, sums.getOrDefault(from.replica(), 0L));
  }

  @Override
  synchronized void close(int sorter) {
    parts.remove(sorter);
  }

  @Override
  void wasRead(ModuleContext from, long lineCount, long checksum) throws SortException {
    super.wasRead(from, lineCount, checksum);
    tell(from, true, checksum);
  }

  @Override
  synchronized void kept(ModuleContext from, long lineCount, long checksum) {
    super.kept(from, lineCount, checksum);
    sums.merge(from.replica(), checksum, Long::sum);
  }

  private static void tell(ModuleContext from, boolean wasRead, long sum) {
    SumCompare.tell(from.route(HostRun.COMPARE, 0), wasRead, new UInt128(0, sum));
  }
}
