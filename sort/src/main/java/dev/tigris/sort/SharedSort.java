package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The facts that all processes of a sort have to know alike. The process that starts the sort
/// finds it out, and tells the others by a text.
///
/// @param order of the records
/// @param plan of each process
/// @param inputs the files
/// @param chunks how many parts the input has
/// @param splitters between the buckets
/// @param folder for temporary files, and with the output
/// @param isPartitioned whether each sorter makes a file
/// @param isForced whether it forces that file to the disk
record SharedSort(
    RecordOrder order,
    SortPlan plan,
    List<SharedInput> inputs,
    long chunks,
    Splitters splitters,
    Path folder,
    boolean isPartitioned,
    boolean isForced) {

  SharedSort {
    inputs = List.copyOf(inputs);
  }

  /// Returns what a run has, for others like it.
  static SharedSort of(SortRun run, Path folder) {
    List<SharedInput> inputs = new ArrayList<>();
    for (InputFile file : run.inputs().files()) {
      inputs.add(SharedInput.of(file, 0));
    }
    return new SharedSort(
        run.order(),
        run.plan(),
        inputs,
        run.inputs().chunks(),
        run.splitters(),
        folder,
        run.output() == null,
        run.isForced());
  }

  /// Returns the text for other processes.
  String text() {
    return PlanText.of(this::write);
  }

  private void write(DataOutputStream out) throws IOException {
    writeOrder(out, order);
    plan.write(out);
    SharedInput.write(out, inputs);
    out.writeLong(chunks);
    splitters.write(out);
    out.writeUTF(folder.toString());
    out.writeBoolean(isPartitioned);
    out.writeBoolean(isForced);
  }

  /// Reads what [#text] has written.
  ///
  /// @throws IOException if the text is no such
  static SharedSort read(String text) throws IOException {
    return PlanText.read(text, SharedSort::read);
  }

  private static SharedSort read(DataInputStream in) throws IOException {
    RecordOrder order = readOrder(in);
    SortPlan plan = SortPlan.read(in);
    List<SharedInput> inputs = SharedInput.read(in);
    return new SharedSort(
        order,
        plan,
        inputs,
        in.readLong(),
        Splitters.read(in),
        Path.of(in.readUTF()),
        in.readBoolean(),
        in.readBoolean());
  }

  static void writeOrder(DataOutputStream out, RecordOrder order) throws IOException {
    out.writeInt(order.recordSize());
    out.writeInt(order.keys().size());
    for (RecordKey key : order.keys()) {
      out.writeUTF(key.toString());
    }
    out.writeBoolean(order.isStable());
    out.writeBoolean(order.isUnique());
  }

  /// Reads what [#writeOrder] has written.
  static RecordOrder readOrder(DataInputStream in) throws IOException {
    RecordOrder order = RecordOrder.ofRecords(in.readInt());
    for (int left = in.readInt(); left > 0; left--) {
      order = order.key(in.readUTF());
    }
    order = in.readBoolean() ? order.stable() : order;
    return in.readBoolean() ? order.unique() : order;
  }
}
