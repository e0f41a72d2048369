package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort of lines on several hosts: it reads inputs of its own
/// host, and its sorters write parts there.
final class HostLines extends ProcessPart<HostLineRun> {
  private final Plan plan;

  HostLines(Plan plan) {
    super(plan.share().hosts().size());
    this.plan = plan;
  }

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the lines
  /// @param plan of each process
  /// @param splitters between the buckets
  /// @param share the inputs
  /// @param inputs as their hosts have found them
  /// @param header the first row, without its end; null without one
  /// @param folder for the parts, on each host
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Plan(
      LineOrder order,
      LinePlan plan,
      LineSplitters splitters,
      HostShare share,
      List<HostLineSurvey.Input> inputs,
      byte @Nullable [] header,
      Path folder) {
    Plan {
      inputs = List.copyOf(inputs);
    }

    String text() {
      return PlanText.of(this::write);
    }

    private void write(DataOutputStream out) throws IOException {
      order.write(out);
      out.writeInt(header == null ? -1 : header.length);
      out.write(header == null ? new byte[0] : header);
      plan.write(out);
      splitters.write(out);
      share.write(out);
      for (HostLineSurvey.Input input : inputs) {
        input.write(out);
      }
      out.writeUTF(folder.toString());
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(text, Plan::read);
    }

    private static Plan read(DataInputStream in) throws IOException {
      LineOrder order = LineOrder.read(in);
      byte @Nullable [] header = HostLineSurvey.readLine(in);
      LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
      LinePlan plan = LinePlan.read(in);
      LineSplitters splitters = LineSplitters.read(in, rows);
      HostShare share = HostShare.read(in);
      List<HostLineSurvey.Input> inputs = new ArrayList<>();
      for (HostFile _ : share.files()) {
        inputs.add(HostLineSurvey.Input.read(in));
      }
      return new Plan(rows, plan, splitters, share, inputs, header, Path.of(in.readUTF()));
    }

    int sorters() {
      return plan.processors() * share.hosts().size();
    }

    /// Returns the part of each sorter, in the order of their lines.
    List<HostFile> parts() {
      return share.parts(folder, sorters());
    }

    /// Returns how many parts the inputs before one are cut into.
    private long before(int input) {
      return inputs.stream()
          .limit(input)
          .mapToLong(each -> Math.ceilDiv(each.lineBytes(), plan.chunkBytes()))
          .sum();
    }
  }

  @Override
  HostLineRun open(int process) throws SortException, InterruptedException {
    try {
      return run(process);
    } catch (SortException e) {
      throw HostTask.on(plan.share().hosts().get(process), e);
    }
  }

  private HostLineRun run(int process) throws SortException, InterruptedException {
    List<Integer> numbers = plan.share().at(process);
    List<SharedInput> own = new ArrayList<>();
    for (int number : numbers) {
      own.add(plan.inputs().get(number).shared(plan.share().files().get(number)));
    }
    LineInputs inputs = opened(new LineInputs(own, plan.order(), plan.header()));
    inputs.cut(plan.plan().chunkBytes(), plan.plan().processors());
    inputs.number(numbers.stream().mapToLong(plan::before).toArray());
    TemporaryFolder folder = new TemporaryFolder(HostFolder.own(plan.folder()));
    opened(folder::close);
    return new HostLineRun(plan, inputs, folder.path(), process);
  }

  @Override
  PartSource source(HostLineRun run) {
    return new LineSource(run);
  }

  @Override
  Module sort(HostLineRun run) {
    return new LineModule(run);
  }
}
