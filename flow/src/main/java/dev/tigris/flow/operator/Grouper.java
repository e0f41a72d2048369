package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Makes groups, as a [GroupBy] describes.
final class Grouper implements Module {
  /// So many keys stay in the processor's cache.
  private static final int NEAR_KEYS = 1 << 10;

  private final GroupBy groups;
  private final Aggregate[] aggregates;

  /// Whether what comes in are groups, not rows.
  private final boolean readsGroups;

  /// Whether it is to know all rows of a key; otherwise it may send a group several times.
  private final boolean isComplete;

  private final Path folder;
  private final KeyTable table;
  private final Rows rows = new Rows();
  private final Key key;
  private final int[] fields;
  private final long[] hashes = new long[Rows.MOST_ROWS];

  @SuppressWarnings("UnusedVariable") // stored, so that the compiler keeps the reads
  private long prefetched;

  private RowWriter[] writers = {};
  private @Nullable ModuleContext context;
  private @Nullable Spill spill;

  Grouper(GroupBy groups, boolean readsGroups, boolean isComplete, long memoryBytes, Path folder) {
    this.groups = groups;
    this.aggregates = groups.aggregates.toArray(Aggregate[]::new);
    this.readsGroups = readsGroups;
    this.isComplete = isComplete;
    this.folder = folder;
    this.table = new KeyTable(aggregates.length, memoryBytes, "groups");
    this.key = new Key(groups.keys);
    this.fields = new int[aggregates.length];
  }

  @Override
  public void init(ModuleContext given) {
    context = given;
    writers = new RowWriter[isComplete ? 1 : given.routes()];
    for (int i = 0; i < writers.length; i++) {
      writers[i] = RowWriter.csv("stage " + given.stage(), groups.columns(), ',');
      if (!isComplete) {
        writers[i].to(given.route(i));
      }
    }
  }

  @Override
  public void process(Water in, Stream out) throws IOException {
    rows.open(in);
    key.open(rows);
    for (int i = 0; i < fields.length; i++) {
      String column = readsGroups ? aggregates[i].name() : aggregates[i].column();
      fields[i] = column.isEmpty() ? -1 : rows.column(column);
    }
    for (int count = rows.nextRows(); count > 0; count = rows.nextRows()) {
      addRows(count);
    }
  }

  private void addRows(int count) throws IOException {
    boolean isFar = table.size() > NEAR_KEYS;
    if (isFar) {
      prefetch(count);
    }
    for (int row = 0; row < count; row++) {
      rows.row(row);
      key.read(rows);
      long hash = isFar ? hashes[row] : key.hash();
      long entry = table.add(key.bytes(), key.start(), key.length(), hash);
      if (entry == KeyTable.NONE) {
        empty();
        entry = table.add(key.bytes(), key.start(), key.length(), hash);
      }
      boolean isNew = table.wasAdded();
      for (int i = 0; i < fields.length; i++) {
        long value = aggregates[i].value(rows, fields[i]);
        table.set(entry, i, isNew ? value : aggregates[i].merged(table.get(entry, i), value));
      }
    }
  }

  private void prefetch(int count) {
    for (int row = 0; row < count; row++) {
      rows.row(row);
      key.read(rows);
      hashes[row] = key.hash();
    }
    prefetched += table.prefetch(hashes, count);
  }

  /// Makes room in the table.
  private void empty() throws IOException {
    if (isComplete) {
      Spill to = spill;
      if (to == null) {
        to = new Spill(folder, 0);
        spill = to;
      }
      spillTable(to);
    } else {
      table.forEach(this::send);
      table.clear();
    }
  }

  /// Writes the groups to files: the longs and the key of each, which lie beside one another.
  private void spillTable(Spill to) throws IOException {
    try {
      table.forEach(
          entry -> {
            int longs = aggregates.length * Long.BYTES;
            int start = table.keyStart(entry) - longs;
            try {
              to.add(table.hash(entry), table.bytes(entry), start, longs + table.keyLength(entry));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    table.clear();
  }

  @Override
  public void finish(Stream out) throws IOException {
    if (isComplete) {
      writers[0].to(out);
    }
    Spill spilled = spill;
    if (spilled == null) {
      table.forEach(this::send);
    } else {
      spillTable(spilled);
      addUp(spilled);
    }
    for (RowWriter writer : writers) {
      writer.flush();
    }
  }

  /// Adds up the groups of each part of what was spilled. Parts that are too large are divided
  /// again.
  private void addUp(Spill spilled) throws IOException {
    for (int part = 0; part < Spill.PARTS; part++) {
      Spill[] next = new Spill[1];
      try {
        spilled.read(
            part, (bytes, start, length, hash) -> add(bytes, start, length, hash, spilled, next));
        spilled.drop(part);
        if (next[0] == null) {
          table.forEach(this::send);
          table.clear();
        } else {
          spillTable(next[0]);
          addUp(next[0]);
        }
      } finally {
        if (next[0] != null) {
          next[0].close();
        }
      }
    }
  }

  private void add(Bytes bytes, int start, int length, long hash, Spill spilled, Spill[] next)
      throws IOException {
    int longs = aggregates.length * Long.BYTES;
    long entry = table.add(bytes, start + longs, length - longs, hash);
    if (entry == KeyTable.NONE) {
      if (next[0] == null) {
        next[0] = spilled.divided();
      }
      spillTable(next[0]);
      entry = table.add(bytes, start + longs, length - longs, hash);
    }
    boolean isNew = table.wasAdded();
    for (int i = 0; i < aggregates.length; i++) {
      long value = bytes.getLong(start + (long) i * Long.BYTES);
      table.set(entry, i, isNew ? value : aggregates[i].merged(table.get(entry, i), value));
    }
  }

  private void send(long entry) {
    ModuleContext known = context;
    if (known != null && known.isStopping()) {
      return;
    }
    RowWriter writer = writers[Hash.part(table.hash(entry), writers.length)];
    key.write(table.bytes(entry), table.keyStart(entry), table.keyLength(entry), writer);
    for (int i = 0; i < aggregates.length; i++) {
      aggregates[i].write(table.get(entry, i), writer);
    }
    writer.end();
  }

  @Override
  public void destroy() throws IOException {
    rows.close();
    key.close();
    table.close();
    Spill spilled = spill;
    if (spilled != null) {
      spilled.close();
    }
  }
}
