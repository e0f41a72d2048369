package dev.tigris.flow.arrow;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.arrow.ArrowRows;
import dev.tigris.memory.arrow.ArrowWriter;
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
  private final ArrowRows<T> rows;
  private final Pieces pieces = new Pieces();
  private @Nullable ArrowWriter<T> writer;

  /// Makes a module that writes objects as these rows.
  public ArrowEncoder(ArrowRows<T> rows) {
    this.rows = rows;
  }

  @Override
  public void init(ModuleContext context) {
    Pieces.requireOneReplica(context);
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    PsoTable<T> table = in.container().rootTable(rows.type());
    if (table != null) {
      pieces.to(out);
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
    pieces.to(out);
    writer().complete();
    pieces.putLast();
  }
}
