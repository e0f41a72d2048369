package dev.tigris.memory.arrow;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.internal.ObjectAccess;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;

/// Reads an Arrow file or stream into tables of objects, as many rows at a time as the caller
/// likes. [ArrowRows] makes it.
///
/// ```java
/// try (ArrowReader<Trade> in = ArrowRows.of(Trade.class).reader(Path.of("trades.arrow"))) {
///   for (PsoTable<Trade> part = table(); in.read(part, 10_000) > 0; part = table()) {
///     use(part);
///   }
/// }
/// ```
///
/// Of a file, dictionaries and a part of a few megabytes are in memory at a time, however large its
/// batches are. Of a column of views, the buffers that the part needs are there as a whole, and
/// others up to 32 MiB. Of a stream of bytes it is a batch.
///
/// The bytes are not trusted. Whatever they are, a call adds the rows that they stand for, or
/// throws and adds none.
///
/// Thread rule: one thread at a time.
public final class ArrowReader<T extends Pso> implements AutoCloseable {
  /// How many rows, and bytes of objects, are filled at once.
  private static final int PART_ROWS = 8192;

  private static final int PART_BYTES = 4 << 20;

  private final Class<T> type;
  private final int strideBytes;
  private final RowSource source;
  private final RowBatches batches;
  private final List<Filler> fillers;

  /// How many rows of the batch at hand were read.
  private long batchRead;

  private long rows;
  private boolean isBroken;
  private boolean isClosed;

  ArrowReader(ArrowRows<T> rows, RowSource source) throws IOException {
    this.type = rows.type();
    this.strideBytes = rows.strideBytes();
    this.source = source;
    this.batches = new RowBatches(source);
    this.fillers = rows.plan(batches.columns());
    batches.begin();
  }

  /// Returns all columns that there are, also those that the class has no field for.
  public ArrowSchema schema() {
    return new ArrowSchema(source.fields());
  }

  /// Adds all rows that are left to a table, and returns how many there were; errors as for
  /// [#read(PsoTable, long)].
  public long read(PsoTable<T> table) throws IOException {
    return read(table, Long.MAX_VALUE);
  }

  /// Adds up to `most` rows to a table, and returns how many there were: fewer only at the end, and
  /// none behind it.
  ///
  /// @throws ArrowException if the bytes are damaged or not supported, or a value does not fit its
  ///     field; the table is as before, and this reader cannot go on
  /// @throws IOException if they cannot be read; as for an [ArrowException]
  /// @throws dev.tigris.memory.ContainerFullException if the table's container has no room for so
  ///     many; as for an [ArrowException]
  /// @throws IllegalArgumentException if `most` is negative, or the table is of another class
  /// @throws IllegalStateException if the reader is closed, or has failed
  public long read(PsoTable<T> table, long most) throws IOException {
    if (isBroken || isClosed) {
      throw new IllegalStateException(
          isClosed ? "the reader is closed" : "the reader has failed, and cannot go on");
    }
    if (most < 0 || ObjectAccess.OBJECTS.elementType(table) != type) {
      throw new IllegalArgumentException(
          "%d rows of %s cannot be read into %s".formatted(most, type.getName(), table));
    }
    isBroken = true;
    long size = table.size();
    long added = 0;
    while (added < most && nextRows()) {
      long count = Math.min(most - added, batches.rows() - batchRead);
      ObjectAccess.OBJECTS.reserve(table, size + added, count);
      fill(table, size + added, count);
      added += count;
    }
    ObjectAccess.OBJECTS.sized(table, size + added);
    isBroken = false;
    return added;
  }

  /// Fills rows that there is room for.
  private void fill(PsoTable<T> table, long first, long count) throws IOException {
    int most = Math.clamp(PART_BYTES / strideBytes, 1, PART_ROWS);
    try {
      for (long at = first; at < first + count; ) {
        MemorySegment together =
            ObjectAccess.OBJECTS.elements(table, at, Math.min(most, first + count - at));
        int part = (int) (together.byteSize() / strideBytes);
        var target = new Filler.Part(together, strideBytes, part, batchRead, rows, null);
        for (Filler filler : fillers) {
          filler.fill(target);
        }
        at += part;
        batchRead += part;
        rows += part;
      }
    } finally {
      Reference.reachabilityFence(table);
    }
  }

  /// Goes to the next batch that has rows, if the one at hand has no more.
  private boolean nextRows() throws IOException {
    if (batchRead == batches.rows()) {
      batchRead = 0;
      return batches.next();
    }
    return true;
  }

  /// Returns how many rows were read.
  public long rows() {
    return rows;
  }

  /// Closes the file or the stream.
  @Override
  public void close() throws IOException {
    isClosed = true;
    batches.close();
  }
}
