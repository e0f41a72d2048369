package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// The facts about a sort on several hosts that all processes have to know alike.
///
/// @param <S> the result of the sort
sealed interface HostPlan<S> permits HostSort.Plan, HostLines.Plan {
  /// The files.
  HostWork work();

  /// Returns how many modules partition in each process.
  int partitioners();

  /// Returns how many modules sort in each process.
  int sortersOfEach();

  /// Returns how many waters may be on their way from a partitioner to a sorter.
  int window();

  /// Makes the part of this process.
  ProcessPart<?> part();

  /// Makes the module that compares checksums.
  SumCompare compare();

  /// Writes the plan.
  void write(DataOutputStream out) throws IOException;

  /// Makes the result from what the processes have told.
  ///
  /// @param processes what each did
  /// @param startedNanos when the sort began
  /// @param sampled when the plan was made
  S result(
      Map<String, Long> told,
      List<SortJob.ProcessResult> processes,
      long startedNanos,
      Sampled sampled);

  /// A time, by the clock that measures and by that of the day.
  record Sampled(long nanos, long micros) {}

  /// Returns the text for other processes.
  default String text() {
    return PlanText.of(
        out -> {
          out.writeBoolean(this instanceof HostLines.Plan);
          write(out);
        });
  }

  /// Reads what [#text] has written.
  ///
  /// @throws IOException if the text is no such
  static HostPlan<?> read(String text) throws IOException {
    return PlanText.read(text, HostPlan::read);
  }

  private static HostPlan<?> read(DataInputStream in) throws IOException {
    return in.readBoolean() ? HostLines.Plan.read(in) : HostSort.Plan.read(in);
  }

  /// Returns how many modules sort in all processes.
  default int sorters() {
    return sortersOfEach() * work().processes();
  }

  /// Returns the part of each sorter, in their order.
  default List<HostFile> parts() {
    return work().parts(sorters());
  }

  /// Returns how many bytes the sorters have written.
  default long writtenBytes(Map<String, Long> told) {
    long written = 0;
    for (int sorter = 0; sorter < sorters(); sorter++) {
      written += told.getOrDefault(ProcessRun.LENGTH + sorter, 0L);
    }
    return written;
  }
}
