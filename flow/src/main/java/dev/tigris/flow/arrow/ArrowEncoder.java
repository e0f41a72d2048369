package dev.tigris.flow.arrow;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.arrow.ArrowRows;
import dev.tigris.memory.arrow.ArrowWriter;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Turns tables of objects into the bytes of one Arrow file. Each water that comes in is a
/// container whose root is a table. (One without a root has no rows.) The waters that go out are
/// the file.
///
/// Drained by a [dev.tigris.flow.FileStream], the file appears when the whole flow has succeeded.
/// Without any rows, it has a schema.
///
/// The stage has one replica, since each would write a file of its own.
///
/// Thread rule: that of a [Module].
public final class ArrowEncoder<T extends Pso> implements Module {
  private static final int WATER_BYTES = 256 << 10;

  private final ArrowRows<T> rows;
  private final Pieces pieces = new Pieces();
  private @Nullable ArrowWriter<T> writer;

  /// Makes a module that writes objects as these rows.
  public ArrowEncoder(ArrowRows<T> rows) {
    this.rows = rows;
  }

  @Override
  public void init(ModuleContext context) {
    if (context.replicas() != 1) {
      throw new IllegalStateException(
          "stage %s has %d replicas, which would write as many files into one: give it one"
              .formatted(context.stage(), context.replicas()));
    }
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    PsoTable<T> table = in.container().rootTable(rows.type());
    if (table != null) {
      pieces.out = out;
      writer().write(table);
    }
  }

  private ArrowWriter<T> writer() throws Exception {
    ArrowWriter<T> known = writer;
    if (known == null) {
      known = rows.fileWriter(pieces);
      writer = known;
    }
    return known;
  }

  @Override
  public void finish(Stream out) throws Exception {
    pieces.out = out;
    writer().complete();
    pieces.putLast();
  }

  /// Cuts what is written into waters.
  private static final class Pieces extends OutputStream {
    /// Where they are put: the stream of the call.
    private @Nullable Stream out;

    private @Nullable Water water;
    private int used;

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      Objects.checkFromIndexSize(from, length, bytes.length);
      for (int at = 0; at < length; ) {
        Water current = water;
        if (current == null) {
          current = Objects.requireNonNull(out).spring().createWater(WATER_BYTES);
          water = current;
        }
        int count = Math.min(length - at, WATER_BYTES - used);
        current.bytes().copyFrom(used, bytes, from + at, count);
        used += count;
        at += count;
        if (used == WATER_BYTES) {
          putLast();
        }
      }
    }

    void putLast() {
      Water current = water;
      if (current != null) {
        current.setSize(used);
        water = null;
        used = 0;
        Objects.requireNonNull(out).put(current);
      }
    }
  }
}
