package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.ModuleResults;
import java.nio.file.Path;
import java.util.Map;

/// The state that the modules of a sort of lines share in one of several processes. It tells what
/// they do as results of the run.
abstract class LineToldRun extends LineRun {
  static final String LINES = "lines";
  static final String KEPT = "lines.kept";
  static final String READ = "checksum.read.";
  static final String WRITTEN = "checksum.written.";

  private static final long LOW = 0xffff_ffffL;

  private final int process;
  private final int[] sorterOf;

  /// @param folder for temporary files
  /// @param sorters in all processes
  /// @param process which one this is
  LineToldRun(
      LineOrder order,
      LinePlan plan,
      LineInputs inputs,
      LineSplitters splitters,
      Path folder,
      int sorters,
      int process) {
    super(order, plan, inputs, splitters, folder, null, Progress.NONE);
    this.process = process;
    this.sorterOf = splitters.shared(sorters);
  }

  final int process() {
    return process;
  }

  @Override
  final int sorterOf(int bucket) {
    return sorterOf[bucket];
  }

  /// Returns the first bucket of a sorter, or of those behind it if it has none.
  final int firstBucket(int sorter) {
    int first = 0;
    while (first < sorterOf.length && sorterOf[first] < sorter) {
      first++;
    }
    return first;
  }

  @Override
  final Path place(String name) throws SortException {
    return ProcessRun.withoutLeftovers(super.place(name));
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
