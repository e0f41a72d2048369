package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/// The flow by which each host checks its own files of text, which [HostLineCheckJob] starts.
/// Programs do not start it themselves.
public final class HostLineCheckProgram implements FlowProgram {
  static final String RESULT = "check";

  /// So much of a line is told, for people.
  private static final int SHOWN = 200;

  /// Makes the program, as each process of a run does.
  public HostLineCheckProgram() {}

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the lines
  /// @param share the files
  record Plan(LineOrder order, HostShare share) {
    String text() {
      return PlanText.of(
          out -> {
            order.write(out);
            share.write(out);
          });
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(text, in -> new Plan(LineOrder.read(in), HostShare.read(in)));
    }

    /// Checks the files of one process, and tells what it has found in each.
    void check(int process, DataOutputStream out) throws Exception {
      List<Integer> own = share.at(process);
      for (int i = share.place(process); i < own.size(); i += share.neighbours(process)) {
        Path path = share.files().get(own.get(i)).path();
        out.writeInt(own.get(i));
        writeEnds(out, LineCheckJob.of(order).input(SortInput.file(path)).ends());
      }
    }
  }

  private static void writeEnds(DataOutputStream out, LineCheckJob.Ends ends) throws IOException {
    LineCheckJob.Result result = ends.result();
    out.writeLong(result.lines());
    out.writeLong(result.bytes());
    out.writeLong(result.duplicates());
    out.writeLong(result.unordered());
    LineCheckJob.Disorder first = result.first();
    out.writeLong(first == null ? 0 : first.number());
    String text = first == null ? "" : first.text();
    out.writeUTF(text.substring(0, Math.min(SHOWN, text.length())));
    HostLineSurvey.writeLine(out, ends.header());
    HostLineSurvey.writeLine(out, ends.first());
    HostLineSurvey.writeLine(out, ends.last());
  }

  static LineCheckJob.Ends readEnds(DataInputStream in) throws IOException {
    long lines = in.readLong();
    long bytes = in.readLong();
    long duplicates = in.readLong();
    long unordered = in.readLong();
    long number = in.readLong();
    String text = in.readUTF();
    return new LineCheckJob.Ends(
        new LineCheckJob.Result(
            lines,
            bytes,
            duplicates,
            unordered,
            number == 0 ? null : new LineCheckJob.Disorder("", number, text),
            Duration.ZERO),
        HostLineSurvey.readLine(in),
        HostLineSurvey.readLine(in),
        Objects.requireNonNull(HostLineSurvey.readLine(in)));
  }

  /// Describes the flow.
  ///
  /// @param arguments a name, for people, and the file with the plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Plan plan = Plan.read(PlanText.told(arguments));
    return Flow.named("check")
        .source(
            "check", () -> HostTask.told(RESULT, plan.share(), plan::check), arguments.processes())
        .build();
  }

  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }
}
