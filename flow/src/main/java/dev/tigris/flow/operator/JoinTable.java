package dev.tigris.flow.operator;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import dev.tigris.flow.text.TextFeed;
import dev.tigris.memory.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// Rows in memory by their key: the smaller side of a join. All replicas of all stages may look up
/// rows in one table. It lies outside the heap.
///
/// ```java
/// JoinTable customers = JoinTable.read(Csv.reading(file), "id", "country");
/// JoinTable.Match customer = customers.match();      // one for each replica
/// ...
/// for (boolean found = customer.find(rows, id); found; found = customer.next()) {
///   customer.write(0, writer);
/// }
/// ```
///
/// A table that does not fit its memory is refused, with the bytes it has reached. A
/// [PartitionedJoin] takes tables of any size.
///
/// Thread rule: any thread; a [Match] by one thread at a time.
public final class JoinTable implements AutoCloseable {
  /// The memory of a table by default.
  public static final long DEFAULT_MEMORY_BYTES = 512L << 20;

  /// Keys whose hashes have equal upper bits, and their rows.
  private final RowTable[] parts;

  private final String key;
  private final List<String> columns;

  private JoinTable(String key, List<String> columns, int parts, long memoryBytes) {
    this.key = key;
    this.columns = List.copyOf(columns);
    this.parts = new RowTable[parts];
    for (int i = 0; i < parts; i++) {
      this.parts[i] = new RowTable(columns.size(), memoryBytes / parts, "join table");
    }
  }

  /// Reads a table as [#read(TextFeed, long, String, String...)] does, with the default memory.
  public static JoinTable read(TextFeed feed, String key, String... columns)
      throws FlowException, InterruptedException {
    return read(feed, DEFAULT_MEMORY_BYTES, key, columns);
  }

  /// Reads a table with a flow of its own, on all processors.
  ///
  /// @param memoryBytes the most memory that the table takes
  /// @param key the column by which rows are looked up; several rows may have equal keys
  /// @param columns the columns to keep
  /// @throws FlowException if a file cannot be read, or the table does not fit the memory
  /// @throws InterruptedException if the caller is interrupted, which cancels the flow
  public static JoinTable read(TextFeed feed, long memoryBytes, String key, String... columns)
      throws FlowException, InterruptedException {
    int processors = Runtime.getRuntime().availableProcessors();
    var table = new JoinTable(key, List.of(columns), processors, memoryBytes);
    boolean complete = false;
    try {
      FlowRun run =
          Flow.named("join table")
              .stage("build", () -> table.new Filler(), processors)
              .feed("build", feed)
              .build()
              .start();
      try {
        run.await();
      } catch (InterruptedException e) {
        run.cancel();
        awaitEnd(run); // its modules use what is closed below
        throw e;
      }
      complete = true;
      return table;
    } finally {
      if (!complete) {
        table.close();
      }
    }
  }

  private static void awaitEnd(FlowRun run) {
    while (true) {
      try {
        run.await();
        return;
      } catch (InterruptedException _) {
        // the caller is told of one already
      } catch (FlowException | CancellationException _) {
        return;
      }
    }
  }

  /// Returns the columns that a row of the table has.
  public List<String> columns() {
    return columns;
  }

  /// Returns how many keys there are.
  public long keys() {
    long sum = 0;
    for (RowTable part : parts) {
      sum += part.keys.size();
    }
    return sum;
  }

  /// Returns how much of the process's memory budget the table takes.
  public long footprintBytes() {
    long sum = 0;
    for (RowTable part : parts) {
      sum += part.footprintBytes();
    }
    return sum;
  }

  /// Returns a new view that finds rows.
  public Match match() {
    return new Match();
  }

  /// Gives the memory back. No thread may use the table afterwards.
  @Override
  public void close() {
    for (RowTable part : parts) {
      part.close();
    }
  }

  /// Adds rows to all parts, a few to each at a time under its lock.
  private final class Filler implements Module {
    private static final int NONE = -1;

    private final Rows rows = new Rows();
    private final int[] fields = new int[columns.size()];
    private final long[] hashes = new long[Rows.MOST_ROWS];

    /// The first of the rows for a part, and the one that follows each: in their order.
    private final int[] first = new int[parts.length];

    private final int[] following = new int[Rows.MOST_ROWS];
    private int number;

    @Override
    public void init(ModuleContext context) {
      number = context.replica();
    }

    @Override
    public void process(Water in, Stream out) {
      rows.open(in);
      int keyField = rows.column(key);
      for (int i = 0; i < fields.length; i++) {
        fields[i] = rows.column(columns.get(i));
      }
      for (int count = rows.nextRows(); count > 0; count = rows.nextRows()) {
        divide(keyField, count);
        for (int i = 0; i < parts.length; i++) {
          int part = (number + i) % parts.length; // replicas begin with different ones
          if (first[part] != NONE) {
            synchronized (parts[part]) {
              add(parts[part], first[part], keyField);
            }
          }
        }
      }
    }

    private void divide(int keyField, int count) {
      Arrays.fill(first, NONE);
      for (int row = count - 1; row >= 0; row--) {
        rows.row(row);
        hashes[row] = rows.hash(keyField);
        int part = Hash.part(hashes[row], parts.length);
        following[row] = first[part];
        first[part] = row;
      }
    }

    private void add(RowTable part, int firstRow, int keyField) {
      for (int row = firstRow; row != NONE; row = following[row]) {
        rows.row(row);
        if (!part.tryAdd(rows, keyField, hashes[row], fields)) {
          throw rows.wrong(
              "does not fit the memory of the join table, one of whose %d parts has %d bytes and has used %d: allow more memory, or use a PartitionedJoin"
                  .formatted(parts.length, part.memoryBytes(), part.footprintBytes()));
        }
      }
    }

    @Override
    public void destroy() {
      rows.close();
    }
  }

  /// Finds the rows of a key, one after the other.
  ///
  /// Thread rule: one thread at a time.
  public final class Match {
    private final long[] hashes = new long[Rows.MOST_ROWS];
    private final long[] candidates = new long[Rows.MOST_ROWS];
    private RowTable part = parts[0];
    private @Nullable Bytes block;
    private int at;
    private long next = KeyTable.NONE;

    @SuppressWarnings("UnusedVariable") // stored, so that the compiler keeps the reads
    private long prefetched;

    private Match() {}

    /// Finds the first row whose key is the value of this field; false if there is none.
    public boolean find(Rows rows, int field) {
      long hash = rows.hash(field);
      return find(rows, field, hash, parts[Hash.part(hash, parts.length)].keys.candidate(hash));
    }

    private boolean find(Rows rows, int field, long hash, long candidate) {
      if (candidate == KeyTable.NONE) {
        return false;
      }
      Bytes bytes = rows.bytes(field);
      int length = rows.length(field);
      part = parts[Hash.part(hash, parts.length)];
      long entry = part.keys.find(candidate, bytes, rows.start(field), length, hash);
      if (entry == KeyTable.NONE) {
        return false;
      }
      next = part.second(entry);
      block = part.keys.bytes(entry);
      at = part.firstValues(entry);
      return true;
    }

    /// Makes ready to [#find] the first rows for the keys of all rows of [Rows#nextRows], so that
    /// the processor waits for memory once. The cursor is at any of these afterwards.
    ///
    /// @param count how many they are
    public void prepare(Rows rows, int field, int count) {
      for (int i = 0; i < count; i++) {
        rows.row(i);
        hashes[i] = rows.hash(field);
      }
      long sum = 0;
      for (int i = 0; i < count; i++) {
        sum += parts[Hash.part(hashes[i], parts.length)].keys.slot(hashes[i]);
      }
      for (int i = 0; i < count; i++) {
        KeyTable keys = parts[Hash.part(hashes[i], parts.length)].keys;
        candidates[i] = keys.candidate(hashes[i]);
        sum += keys.firstWord(candidates[i]);
      }
      prefetched += sum; // so that the compiler does not drop the reads
    }

    /// Finds the first row with the key of one of the rows that [#prepare] has seen.
    ///
    /// @param index which of them; the cursor is at it
    public boolean find(Rows rows, int field, int index) {
      return find(rows, field, hashes[index], candidates[index]);
    }

    /// Goes to the next row with the key; false behind the last one. The rows of a key come in the
    /// order of their file if one replica has read it.
    public boolean next() {
      if (next == KeyTable.NONE) {
        return false;
      }
      block = part.block(next);
      at = RowTable.values(next);
      next = part.next(next);
      return true;
    }

    /// Returns the bytes that the values of kept columns lie in.
    ///
    /// @throws NullPointerException if no row was found yet
    public Bytes bytes() {
      return Objects.requireNonNull(block, "no row was found yet: call find() first");
    }

    /// Returns where the value of a kept column begins in [#bytes].
    ///
    /// @param column its place among [JoinTable#columns], from 0
    public int start(int column) {
      return RowTable.value(bytes(), at, columns.size(), column);
    }

    /// Returns how many bytes the value of a kept column has.
    public int length(int column) {
      return bytes().getInt(at + (long) column * Integer.BYTES);
    }

    /// Writes the value of a kept column as a field.
    public void write(int column, RowWriter to) {
      to.value(bytes(), start(column), length(column));
    }
  }
}
