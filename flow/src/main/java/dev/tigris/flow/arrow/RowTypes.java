package dev.tigris.flow.arrow;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.Rows;
import dev.tigris.flow.text.TextException;
import dev.tigris.flow.text.TextFeed;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.arrow.ArrowColumn;
import dev.tigris.memory.arrow.ArrowColumnType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Which types the columns of rows have as columns of Arrow.
///
/// ```java
/// RowTypes types = RowTypes.of(Csv.reading(orders)).with("postcode", ArrowColumnType.TEXT);
/// ```
///
/// Immutable.
public final class RowTypes {
  private final List<ArrowColumn> columns;

  private RowTypes(List<ArrowColumn> columns) {
    this.columns = List.copyOf(columns);
  }

  /// Returns types of columns that are known.
  public static RowTypes of(List<ArrowColumn> columns) {
    return new RowTypes(columns);
  }

  /// Reads all rows of a feed whose files name their columns, and returns for each column the type
  /// that holds all of its values:
  ///
  /// - `WHOLE` for whole numbers of 64 bits; one with zeros in front is text,
  /// - `REAL` if some have a point or an exponent,
  /// - `FLAG` for `true` and `false`,
  /// - `DATE` for dates such as `2026-11-28`,
  /// - `MICROS` for a date with a time, `UTC_MICROS` if each has a zone, and nanoseconds if one has
  ///   more than six digits of a second,
  /// - `TEXT` for everything else.
  ///
  /// Empty values do not count. A column without others is text.
  ///
  /// @param replicas how many threads read
  /// @throws IOException if the first row cannot be read
  /// @throws TextException if there is none
  /// @throws FlowException if the rows cannot be read, with the cause
  public static RowTypes of(TextFeed feed, int replicas)
      throws IOException, FlowException, InterruptedException {
    List<String> names = feed.columns();
    if (names.isEmpty()) {
      throw new TextException("the first file is empty: its first row names the columns");
    }
    Guess[] all = new Guess[names.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = new Guess();
    }
    FlowRun run =
        Flow.named("types of columns")
            .stage("look", () -> new Look(all), replicas)
            .feed("look", feed)
            .build()
            .start();
    try {
      run.await();
    } catch (InterruptedException e) {
      run.cancel();
      throw e;
    }
    List<ArrowColumn> columns = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      columns.add(new ArrowColumn(names.get(i), all[i].type()));
    }
    return new RowTypes(columns);
  }

  /// Returns the same with another type for a column.
  ///
  /// @throws IllegalArgumentException if there is no column of this name
  public RowTypes with(String name, ArrowColumnType type) {
    List<ArrowColumn> changed = new ArrayList<>();
    boolean isThere = false;
    for (ArrowColumn column : columns) {
      boolean isIt = column.name().equals(name);
      isThere |= isIt;
      changed.add(isIt ? new ArrowColumn(name, type) : column);
    }
    if (!isThere) {
      throw new IllegalArgumentException(
          "there is no column '%s'. The columns are %s"
              .formatted(name, columns.stream().map(ArrowColumn::name).toList()));
    }
    return new RowTypes(changed);
  }

  /// Returns the columns in their order.
  public List<ArrowColumn> columns() {
    return columns;
  }

  /// Looks at all values of the rows that a replica gets.
  private static final class Look implements Module {
    private final Guess[] all;
    private final Guess[] own;
    private final Rows rows = new Rows();
    private final Moments moments = new Moments(Jbuf.allocate(1, "moments").asBytes());

    /// @param all where those of all replicas come together
    Look(Guess[] all) {
      this.all = all;
      this.own = new Guess[all.length];
      for (int i = 0; i < own.length; i++) {
        own[i] = new Guess();
      }
    }

    @Override
    public void process(Water in, Stream out) {
      rows.open(in);
      while (rows.next()) {
        for (int i = 0; i < own.length; i++) {
          own[i].see(rows, i, moments);
        }
      }
    }

    @Override
    public void finish(Stream out) {
      synchronized (all) {
        for (int i = 0; i < own.length; i++) {
          all[i].add(own[i]);
        }
      }
    }
  }
}
