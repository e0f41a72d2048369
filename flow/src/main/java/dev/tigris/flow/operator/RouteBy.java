package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sends each row to the replica that the hash of its key says, so that rows with equal keys meet.
/// Its reservoir is [dev.tigris.flow.Reservoir#routed]. It counts the receivers once: a reservoir
/// that gets another one while rows go through it would part the rows of a key.
public final class RouteBy implements Module {
  private final Rows rows = new Rows();
  private final Key key;
  private WriterByColumns[] writers = {};
  private RowWriter[] routes = {};
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
      routes[Hash.part(key.hash(), routes.length)].row(rows);
    }
  }

  private void openWriters() {
    ModuleContext known = Objects.requireNonNull(context);
    if (writers.length == 0) {
      writers = new WriterByColumns[known.routes()];
      Arrays.setAll(writers, _ -> new WriterByColumns());
      routes = new RowWriter[writers.length];
    }
    for (int i = 0; i < writers.length; i++) {
      routes[i] = writers[i].open(rows, known.route(i), () -> RowWriter.like(rows));
    }
  }

  @Override
  public void finish(Stream out) {
    for (int i = 0; i < writers.length; i++) {
      writers[i].flush(Objects.requireNonNull(context).route(i));
    }
  }

  @Override
  public void destroy() {
    rows.close();
    key.close();
  }
}
