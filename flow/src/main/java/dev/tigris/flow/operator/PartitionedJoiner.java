package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Joins what is routed to it, as a [PartitionedJoin] describes.
///
/// A row in a temporary file, of either side, is a [RowCode].
final class PartitionedJoiner implements Module {
  /// A part that was divided so often has few keys with many rows: dividing it again would not make
  /// it smaller. It is joined piece by piece.
  private static final int MOST_DIVISIONS = 4;

  private final PartitionedJoin join;
  private final Path folder;
  private final RowTable table;
  private final Rows rows = new Rows();
  private final int[] tableFields;
  private int[] fields = {};
  private final WriterByColumns writers = new WriterByColumns();
  private @Nullable RowWriter writer;
  private @Nullable ModuleContext context;

  private final RowCode code = new RowCode();

  /// The rows of the table, once they did not fit; and those to be joined with it.
  private @Nullable Spill tableSpill;

  private @Nullable Spill rowsSpill;

  PartitionedJoiner(PartitionedJoin join, long memoryBytes, Path folder) {
    this.join = join;
    this.folder = folder;
    this.tableFields = new int[join.tableColumns.size()];
    this.table = new RowTable(tableFields.length, memoryBytes, "join");
  }

  @Override
  public void init(ModuleContext given) {
    context = given;
    List<String> names = given.inputNames();
    for (String name : List.of(join.rowsFrom, join.tableFrom)) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "stage %s joins what comes from %s, but its inputs are %s: connect it"
                .formatted(given.stage(), name, names));
      }
    }
  }

  private ModuleContext context() {
    return Objects.requireNonNull(context);
  }

  @Override
  public void process(Water in, Stream out) throws IOException {
    rows.open(in);
    if (context().from().equals(join.tableFrom)) {
      addToTable();
    } else {
      openRows(out);
      joinRows();
    }
  }

  // -- The table.

  private void addToTable() throws IOException {
    int keyField = rows.column(join.tableKey);
    for (int i = 0; i < tableFields.length; i++) {
      tableFields[i] = rows.column(join.tableColumns.get(i));
    }
    while (rows.next()) {
      Spill spill = tableSpill;
      long hash = rows.hash(keyField);
      if (spill == null && !table.tryAdd(rows, keyField, hash, tableFields)) {
        spill = new Spill(folder, 0);
        tableSpill = spill;
        code.spill(table, spill);
      }
      if (spill != null) {
        code.encode(rows, keyField, tableFields);
        code.spill(hash, spill);
      }
    }
  }

  // -- The rows to be joined.

  private void openRows(Stream out) {
    List<String> found = List.of(rows.columns());
    List<String> kept = join.keeping == null ? found : join.keeping;
    fields = kept.stream().mapToInt(rows::column).toArray();
    writer =
        writers.openOnly(rows, kept, out, () -> newWriter(kept), "name those to keep by keeping()");
  }

  private RowWriter newWriter(List<String> kept) {
    List<String> names = new ArrayList<>(kept);
    names.addAll(join.tableColumns);
    return RowWriter.csv("stage " + context().stage(), names, ',');
  }

  private RowWriter writer() {
    return Objects.requireNonNull(writer);
  }

  private boolean isTableComplete() {
    return context().inputs(join.tableFrom).stream().allMatch(Stream::isDrained);
  }

  private void joinRows() throws IOException {
    int keyField = rows.column(join.rowsKey);
    if (tableSpill == null && isTableComplete()) {
      while (rows.next()) {
        code.encode(rows, keyField, fields);
        int _ = joinRow(code.bytes(), 0, rows.hash(keyField), join.isOuter);
      }
      return;
    }
    Spill spill = rowsSpill;
    if (spill == null) {
      spill = new Spill(folder, 0);
      rowsSpill = spill;
    }
    while (rows.next()) {
      code.encode(rows, keyField, fields);
      code.spill(rows.hash(keyField), spill);
    }
  }

  /// Joins an encoded row with the table in memory. Returns how many rows came of it.
  private int joinRow(Bytes from, int start, long hash, boolean keepsUnmatched) {
    int key = from.getInt(start);
    int values = start + Integer.BYTES + key;
    long entry = table.keys.find(from, start + (long) Integer.BYTES, key, hash);
    if (entry == KeyTable.NONE) {
      if (keepsUnmatched) {
        writeUnmatched(from, values);
      }
      return 0;
    }
    int count = 1;
    write(from, values, table.keys.bytes(entry), table.firstValues(entry));
    for (long row = table.second(entry); row != KeyTable.NONE; row = table.next(row)) {
      write(from, values, table.block(row), RowTable.values(row));
      count++;
    }
    return count;
  }

  private void write(Bytes row, int values, Bytes match, int matchValues) {
    RowWriter to = writer();
    writeValues(row, values, fields.length, to);
    writeValues(match, matchValues, tableFields.length, to);
    to.end();
  }

  private void writeUnmatched(Bytes row, int values) {
    RowWriter to = writer();
    writeValues(row, values, fields.length, to);
    for (int i = 0; i < tableFields.length; i++) {
      to.text("");
    }
    to.end();
  }

  private static void writeValues(Bytes from, int at, int count, RowWriter to) {
    int value = at + count * Integer.BYTES;
    for (int i = 0; i < count; i++) {
      int length = from.getInt(at + (long) i * Integer.BYTES);
      to.value(from, value, length);
      value += length;
    }
  }

  // -- The end.

  @Override
  public void finish(Stream out) throws IOException {
    if (writer == null) {
      return; // no rows, not even without values
    }
    writer().to(out);
    Spill kept = tableSpill;
    Spill waiting = rowsSpill;
    if (waiting != null) {
      if (kept == null) {
        joinWithMemory(waiting);
      } else {
        code.spill(table, kept);
        joinParts(kept, waiting, 0);
      }
    }
    writer().flush();
  }

  /// Joins rows that came before the table was complete, which has fitted after all.
  private void joinWithMemory(Spill waiting) throws IOException {
    for (int part = 0; part < Spill.PARTS; part++) {
      joinPart(waiting, part);
      waiting.drop(part);
    }
  }

  private void joinPart(Spill waiting, int part) throws IOException {
    waiting.read(
        part,
        (bytes, start, length, hash) -> {
          refuseToGoOn();
          int _ = joinRow(bytes, start, hash, join.isOuter);
        });
  }

  private void refuseToGoOn() throws IOException {
    if (context().isStopping()) {
      throw new IOException("the flow is being stopped");
    }
  }

  /// Joins part after part. One whose table does not fit is divided again.
  private void joinParts(Spill kept, Spill waiting, int divisions) throws IOException {
    for (int part = 0; part < Spill.PARTS; part++) {
      if (divisions >= MOST_DIVISIONS) {
        joinPieces(kept, waiting, part);
      } else {
        joinOrDivide(kept, waiting, part, divisions);
      }
      kept.drop(part);
      waiting.drop(part);
    }
  }

  private void joinOrDivide(Spill kept, Spill waiting, int part, int divisions) throws IOException {
    table.clear();
    try (Divided next = new Divided()) {
      kept.read(
          part,
          (bytes, start, length, hash) -> {
            refuseToGoOn();
            if (next.table == null && !add(bytes, start, length, hash)) {
              next.table = kept.divided();
              code.spill(table, next.table);
            }
            if (next.table != null) {
              next.table.add(hash, bytes, start, length);
            }
          });
      if (next.table == null) {
        joinPart(waiting, part);
        return;
      }
      Spill rest = waiting.divided();
      next.rows = rest;
      waiting.read(part, (bytes, start, length, hash) -> rest.add(hash, bytes, start, length));
      joinParts(next.table, rest, divisions + 1);
    }
  }

  /// The parts of a part, if it was divided.
  private static final class Divided implements AutoCloseable {
    private @Nullable Spill table;
    private @Nullable Spill rows;

    @Override
    public void close() throws IOException {
      closeBoth(table, rows);
    }
  }

  private static void closeBoth(@Nullable Spill table, @Nullable Spill rows) throws IOException {
    try {
      if (table != null) {
        table.close();
      }
    } finally {
      if (rows != null) {
        rows.close();
      }
    }
  }

  private boolean add(Bytes bytes, int start, int length, long hash) {
    int key = bytes.getInt(start);
    int values = start + Integer.BYTES + key;
    int valuesBytes = length - Integer.BYTES - key;
    return table.tryAdd(bytes, start + (long) Integer.BYTES, key, hash, values, valuesBytes);
  }

  /// Joins with as much of the table's part as fits, and then with the next piece of it. Rows
  /// without a match in any piece go out at the end.
  private void joinPieces(Spill kept, Spill waiting, int part) throws IOException {
    BitSet matched = new BitSet();
    int[] done = {0};
    boolean[] isOver = {false};
    while (!isOver[0]) {
      isOver[0] = true;
      table.clear();
      int[] number = {0};
      int[] taken = {done[0]};
      kept.read(
          part,
          (bytes, start, length, hash) -> {
            refuseToGoOn();
            boolean isNext = number[0]++ == taken[0];
            if (isNext && add(bytes, start, length, hash)) {
              taken[0]++;
            } else if (isNext) {
              isOver[0] = false;
            }
          });
      done[0] = taken[0];
      int[] row = {0};
      waiting.read(
          part,
          (bytes, start, length, hash) -> {
            if (joinRow(bytes, start, hash, false) > 0) {
              matched.set(row[0]);
            }
            row[0]++;
          });
    }
    if (join.isOuter) {
      int[] row = {0};
      waiting.read(
          part,
          (bytes, start, length, hash) -> {
            if (!matched.get(row[0]++)) {
              writeUnmatched(bytes, start + Integer.BYTES + bytes.getInt(start));
            }
          });
    }
  }

  @Override
  public void destroy() throws IOException {
    rows.close();
    table.close();
    code.close();
    closeBoth(tableSpill, rowsSpill);
  }
}
