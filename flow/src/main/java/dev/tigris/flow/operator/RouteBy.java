package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sends each row to the replica that the hash of its key says, so that rows with equal keys meet.
/// Its reservoir is [dev.tigris.flow.Reservoir#routed]. It counts the receivers once: a reservoir
/// that gets another one while rows go through it would part the rows of a key.
public final class RouteBy implements Module {
  private final Rows rows = new Rows();
  private final Key key;
  private RowWriter[] writers = {};
  private List<String> columns = List.of();
  private @Nullable ModuleContext context;

  /// Makes a module for keys of these columns.
  public RouteBy(String... columns) {
    key = new Key(List.of(columns));
  }

  @Override
  public void init(ModuleContext given) {
    context = given;
  }

  @Override
  public void process(Water in, Stream out) {
    rows.open(in);
    key.open(rows);
    openWriters();
    while (rows.next()) {
      key.read(rows);
      writers[Hash.part(key.hash(), writers.length)].row(rows);
    }
  }

  private void openWriters() {
    List<String> found = List.of(rows.columns());
    if (writers.length > 0 && found.equals(columns)) {
      return;
    }
    for (RowWriter writer : writers) {
      writer.flush();
    }
    columns = found;
    ModuleContext known = Objects.requireNonNull(context);
    writers = new RowWriter[known.routes()];
    for (int i = 0; i < writers.length; i++) {
      writers[i] = RowWriter.like(rows).to(known.route(i));
    }
  }

  @Override
  public void finish(Stream out) {
    for (RowWriter writer : writers) {
      writer.flush();
    }
  }

  @Override
  public void destroy() {
    rows.close();
    key.close();
  }
}
