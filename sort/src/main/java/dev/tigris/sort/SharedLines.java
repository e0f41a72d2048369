package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The facts that all processes of a sort of lines have to know alike: as [SharedSort] of records.
///
/// @param order of the lines, without the places of columns
/// @param plan of each process
/// @param inputs the files
/// @param parts how many parts the input has
/// @param inside which parts of the input begin between quotes, of CSV
/// @param header the first row, without its end; null without one
/// @param splitters between the buckets
/// @param folder for temporary files
/// @param output the file that all write
@SuppressWarnings("ArrayRecordComponent") // never compared
record SharedLines(
    LineOrder order,
    LinePlan plan,
    List<SharedInput> inputs,
    long parts,
    BitSet inside,
    byte @Nullable [] header,
    LineSplitters splitters,
    Path folder,
    Path output) {

  SharedLines {
    inputs = List.copyOf(inputs);
  }

  /// Returns what a run has, for others like it.
  static SharedLines of(LineRun run, Path folder, Path output) {
    LineInputs inputs = run.inputs();
    return new SharedLines(
        run.order(),
        run.plan(),
        inputs.shared(),
        inputs.parts(),
        inputs.inside(),
        inputs.header(),
        run.splitters(),
        folder,
        output);
  }

  /// Returns the text for other processes.
  String text() {
    return PlanText.of(this::write);
  }

  private void write(DataOutputStream out) throws IOException {
    order.write(out);
    plan.write(out);
    SharedInput.write(out, inputs);
    out.writeLong(parts);
    write(out, inside.toByteArray());
    out.writeBoolean(header != null);
    write(out, header == null ? new byte[0] : header);
    splitters.write(out);
    out.writeUTF(folder.toString());
    out.writeUTF(output.toString());
  }

  /// Reads what [#text] has written.
  ///
  /// @throws IOException if the text is no such
  static SharedLines read(String text) throws IOException {
    return PlanText.read(text, SharedLines::read);
  }

  private static SharedLines read(DataInputStream in) throws IOException {
    LineOrder order = LineOrder.read(in);
    LinePlan plan = LinePlan.read(in);
    List<SharedInput> inputs = SharedInput.read(in);
    long parts = in.readLong();
    BitSet inside = BitSet.valueOf(readBytes(in));
    boolean hasHeader = in.readBoolean();
    byte[] row = readBytes(in);
    byte[] header = hasHeader ? row : null;
    LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
    return new SharedLines(
        rows,
        plan,
        inputs,
        parts,
        inside,
        header,
        LineSplitters.read(in, rows),
        Path.of(in.readUTF()),
        Path.of(in.readUTF()));
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }
}
