package dev.tigris.flow.arrow;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.arrow.ArrowReader;
import dev.tigris.memory.arrow.ArrowRows;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads an Arrow file or stream. Each water that goes out is a container whose root is a table of
/// objects, with so many rows, the last one with fewer.
///
/// A file that is damaged, or does not fit the class, fails the flow.
///
/// The stage has one replica, since each would read all of the file.
///
/// Thread rule: that of a [Source].
public final class ArrowFeed<T extends Pso> implements Source {
  /// The bytes of a container beside the objects of a table: its header, and the table's.
  private static final int OVERHEAD_BYTES = 128;

  private final ArrowRows<T> rows;
  private final Path file;
  private final int rowsPerWater;
  private final int waterBytes;
  private @Nullable ArrowReader<T> reader;

  /// Makes a source that reads a file.
  ///
  /// @throws IllegalArgumentException if `rowsPerWater` is not positive, or so many rows are more
  ///     than a water has room for
  public ArrowFeed(ArrowRows<T> rows, Path file, int rowsPerWater) {
    long bytes = OVERHEAD_BYTES + (long) rowsPerWater * PsoLayout.of(rows.type()).sizeBytes();
    if (rowsPerWater < 1 || bytes > 1 << 30) {
      throw new IllegalArgumentException(
          "a water with %d rows has %d bytes: let it have at least one row and at most 1 GiB"
              .formatted(rowsPerWater, bytes));
    }
    this.rows = rows;
    this.file = file;
    this.rowsPerWater = rowsPerWater;
    this.waterBytes = (int) bytes;
  }

  @Override
  public void init(ModuleContext context) throws Exception {
    if (context.replicas() != 1) {
      throw new IllegalStateException(
          "stage %s has %d replicas, each of which would read all of %s: give it one"
              .formatted(context.stage(), context.replicas(), file));
    }
    reader = rows.reader(file);
  }

  @Override
  public boolean produce(Stream out) throws Exception {
    Water water = out.spring().createWater(waterBytes);
    Container container = water.container();
    PsoTable<T> table = new PsoTable<>(container, rows.type(), rowsPerWater);
    container.root(table);
    if (Objects.requireNonNull(reader).read(table, rowsPerWater) == 0) {
      water.release();
      return false;
    }
    water.setSize((int) container.usedBytes());
    out.put(water);
    return true;
  }

  @Override
  public void destroy() throws Exception {
    ArrowReader<T> opened = reader;
    if (opened != null) {
      opened.close();
    }
  }
}
