package dev.tigris.flow.text;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.flow.ends.DrainStream;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A drain of rows to the files of a folder, which all replicas of a stage write together: one file
/// for each value of some columns, or a number of files by the hash of these.
final class PartitionDrain extends StreamGroup {
  private final Path folder;
  private final List<String> columns;

  /// The number of files; 0 for one of each value.
  private final int parts;

  PartitionDrain(Path folder, List<String> columns, int parts) {
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("rows are parted by the values of columns: name one");
    }
    this.folder = folder;
    this.columns = List.copyOf(columns);
    this.parts = parts;
  }

  @Override
  protected List<StreamKind> kinds(int replicas) {
    var shared = new PartitionFolder(folder);
    StreamKind kind = place -> open(place, shared);
    return Collections.nCopies(replicas, kind);
  }

  private Stream open(StreamKind.Place place, PartitionFolder shared) throws IOException {
    String output = shared.open(place);
    return new DrainStream(
        place,
        parts == 0
            ? new ByValue(shared, output, columns)
            : new ByHash(shared, output, columns, parts));
  }

  /// One replica's way to the files.
  private abstract static class Parter implements DrainStream.Sink {
    final PartitionFolder shared;
    final Rows rows = new Rows();
    final int[] keys;
    private final List<String> columns;
    private final @Nullable String output;

    Parter(PartitionFolder shared, @Nullable String output, List<String> columns) {
      this.shared = shared;
      this.output = output;
      this.columns = columns;
      this.keys = new int[columns.size()];
    }

    @Override
    public @Nullable String output() {
      return output;
    }

    @Override
    public void check(Water water) {
      Batch.check(water);
    }

    @Override
    public void write(Bytes batch, int size) throws IOException {
      rows.open(batch, size);
      for (int i = 0; i < keys.length; i++) {
        keys[i] = rows.column(columns.get(i));
      }
      writeRows();
    }

    abstract void writeRows() throws IOException;

    final long hash() {
      long hash = 0;
      for (int key : keys) {
        hash = Hash.again(hash ^ rows.hash(key), 1);
      }
      return hash;
    }

    @Override
    public void prepare() throws IOException {
      shared.prepare();
    }

    @Override
    public void close(boolean complete) throws IOException {
      rows.close();
      shared.close(complete);
    }
  }

  /// Writes rows as they stand, to one of a number of files.
  private static final class ByHash extends Parter {
    private final PartitionFile[] files;

    ByHash(PartitionFolder shared, @Nullable String output, List<String> columns, int parts) {
      super(shared, output, columns);
      this.files = new PartitionFile[parts];
    }

    @Override
    void writeRows() throws IOException {
      byte[] names = rows.namesRow();
      for (int i = 0; i < files.length; i++) { // also those that get no row
        files[i] = shared.file("part-%05d.csv".formatted(i), names);
      }
      while (rows.next()) {
        PartitionFile file = files[Hash.part(hash(), files.length)];
        file.addRow(rows.rowBytes(), rows.rowStart(), rows.rowEnd() - rows.rowStart());
      }
    }
  }

  /// Writes the other columns of a row to the file of its values.
  private static final class ByValue extends Parter {
    /// A file by the values of its rows; several may have equal hashes.
    private static final class Known {
      private final byte[][] values;
      private final PartitionFile file;
      private final @Nullable Known next;

      Known(byte[][] values, PartitionFile file, @Nullable Known next) {
        this.values = values;
        this.file = file;
        this.next = next;
      }
    }

    private final Map<Long, Known> known = new HashMap<>();
    private byte[] names = {};
    private int[] kept = {};
    private byte[] row = new byte[1 << 10];
    private int length;

    ByValue(PartitionFolder shared, @Nullable String output, List<String> columns) {
      super(shared, output, columns);
    }

    @Override
    void writeRows() throws IOException {
      keepOthers();
      while (rows.next()) {
        Known found = find(hash());
        length = 0;
        for (int i = 0; i < kept.length; i++) {
          if (i > 0) {
            put(rows.separator());
          }
          putField(kept[i]);
        }
        if (length == 0) { // an empty line would be no row
          put(Scan.QUOTE);
          put(Scan.QUOTE);
        }
        found.file.addRow(row, length);
      }
    }

    private void keepOthers() {
      List<String> all = List.of(rows.columns());
      List<String> others = new ArrayList<>();
      int count = 0;
      int[] fields = new int[all.size()];
      for (int i = 0; i < all.size(); i++) {
        int field = i;
        if (Arrays.stream(keys).noneMatch(key -> key == field)) {
          others.add(all.get(i));
          fields[count++] = i;
        }
      }
      if (count == 0) {
        throw new TextException(
            "%s has no columns but those in the names of the files: keep another one"
                .formatted(rows.file()));
      }
      byte[] row = Names.row(others, rows.separator());
      if (!Arrays.equals(row, names)) {
        known.clear(); // each file checks that its rows have its names
        names = row;
      }
      kept = Arrays.copyOf(fields, count);
    }

    private Known find(long hash) throws IOException {
      Known first = known.get(hash);
      for (Known each = first; each != null; each = each.next) {
        if (hasValues(each.values)) {
          return each;
        }
      }
      var values = new byte[keys.length][];
      StringBuilder name = new StringBuilder();
      for (int i = 0; i < keys.length; i++) {
        values[i] = new byte[rows.length(keys[i])];
        rows.bytes(keys[i]).copyTo(rows.start(keys[i]), values[i], 0, values[i].length);
        byte[] column = rows.columns()[keys[i]].getBytes(StandardCharsets.UTF_8);
        name.append(PartitionName.of(column)).append('=').append(PartitionName.of(values[i]));
        name.append('/');
      }
      Known made = new Known(values, shared.file(name + "part-00000.csv", names), first);
      known.put(hash, made);
      return made;
    }

    private boolean hasValues(byte[][] values) {
      for (int i = 0; i < keys.length; i++) {
        if (!rows.equals(keys[i], values[i])) {
          return false;
        }
      }
      return true;
    }

    private void putField(int field) {
      Bytes bytes = rows.bytes(field);
      int start = rows.start(field);
      int size = rows.length(field);
      boolean quoted = false;
      for (int i = 0; i < size && !quoted; i++) {
        quoted = RowWriter.isSpecial(bytes.get(start + i), rows.separator());
      }
      reserve(size);
      if (!quoted) {
        bytes.copyTo(start, row, length, size);
        length += size;
        return;
      }
      put(Scan.QUOTE);
      for (int i = 0; i < size; i++) {
        byte b = bytes.get(start + i);
        put(b);
        if (b == Scan.QUOTE) {
          put(b);
        }
      }
      put(Scan.QUOTE);
    }

    private void put(byte b) {
      reserve(1);
      row[length++] = b;
    }

    private void reserve(int more) {
      if (row.length - length < more) {
        row = Arrays.copyOf(row, Math.max(2 * row.length, length + more));
      }
    }
  }
}
