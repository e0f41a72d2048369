package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The part that one process has in a sort on several hosts: it reads inputs of its own host, and
/// its sorters write parts there.
final class HostSort extends ProcessPart<HostRun> {
  private final Plan plan;

  HostSort(Plan plan) {
    super(plan.share().hosts().size());
    this.plan = plan;
  }

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the records
  /// @param plan of each process
  /// @param splitters between the buckets
  /// @param share the inputs
  /// @param states what tells each of them from another file
  /// @param counts how many records each has
  /// @param folder for the parts, on each host
  record Plan(
      RecordOrder order,
      SortPlan plan,
      Splitters splitters,
      HostShare share,
      List<String> states,
      List<Long> counts,
      Path folder) {
    Plan {
      states = List.copyOf(states);
      counts = List.copyOf(counts);
    }

    String text() {
      return PlanText.of(this::write);
    }

    private void write(DataOutputStream out) throws IOException {
      SharedSort.writeOrder(out, order);
      plan.write(out);
      splitters.write(out);
      share.write(out);
      for (String state : states) {
        out.writeUTF(state);
      }
      for (long count : counts) {
        out.writeLong(count);
      }
      out.writeUTF(folder.toString());
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(text, Plan::read);
    }

    private static Plan read(DataInputStream in) throws IOException {
      RecordOrder order = SharedSort.readOrder(in);
      SortPlan plan = SortPlan.read(in);
      Splitters splitters = Splitters.read(in);
      HostShare share = HostShare.read(in);
      List<String> states = new ArrayList<>();
      for (HostFile _ : share.files()) {
        states.add(in.readUTF());
      }
      List<Long> counts = new ArrayList<>();
      for (HostFile _ : share.files()) {
        counts.add(in.readLong());
      }
      return new Plan(order, plan, splitters, share, states, counts, Path.of(in.readUTF()));
    }

    long records() {
      return before(counts.size());
    }

    /// Returns how many records the inputs before one have.
    long before(int input) {
      return counts.stream().limit(input).mapToLong(Long::longValue).sum();
    }

    int sorters() {
      return plan.sorters() * share.hosts().size();
    }

    /// Returns the part of each sorter, in the order of their keys.
    List<HostFile> parts() {
      return share.parts(folder, sorters());
    }
  }

  @Override
  HostRun open(int process) throws SortException {
    try {
      return run(process);
    } catch (SortException e) {
      throw HostTask.on(plan.share().hosts().get(process), e);
    }
  }

  private HostRun run(int process) throws SortException {
    List<SharedInput> own = new ArrayList<>();
    for (int input : plan.share().at(process)) {
      HostFile file = plan.share().files().get(input);
      own.add(
          new SharedInput(file.path().toString(), file.toString(), plan.states().get(input), 0));
    }
    RecordOrder order = plan.order();
    InputFiles inputs =
        opened(
            new InputFiles(
                own.size(), order.format(), number -> own.get(number).open(order.recordSize())));
    inputs.cut(plan.plan().readBytes());
    inputs.number(plan.share().at(process).stream().mapToLong(plan::before).toArray());
    TemporaryFolder folder = new TemporaryFolder(HostFolder.own(plan.folder()));
    opened(folder::close);
    SharedSort sort =
        new SharedSort(
            order, plan.plan(), own, inputs.chunks(), plan.splitters(), folder.path(), true, true);
    return new HostRun(sort, inputs, plan.records(), plan.share(), process);
  }

  @Override
  PartSource source(HostRun run) {
    return new PartitionSource(run);
  }

  @Override
  Module sort(HostRun run) {
    return new SortModule(run);
  }
}
