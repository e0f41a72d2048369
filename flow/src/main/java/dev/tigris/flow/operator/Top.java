package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/// Passes the rows with the greatest or least values of a column, the foremost first, when all have
/// come. Each replica knows its own rows only, so several replicas are followed by one that has all
/// that they pass:
///
/// ```java
/// .stage("top of each", () -> Top.greatest(10, "amount", 2), 2)
/// .reservoir(Reservoir.leastOutstanding())
/// .stage("top", () -> Top.greatest(10, "amount", 2))
/// ```
///
/// Rows with equal values stand in the order of their bytes, so what passes depends on nothing but
/// the rows. They are kept on the heap.
public final class Top implements Module {
  /// More is a sort.
  private static final int MOST_ROWS = 1_000_000;

  /// A row that was kept: its values, and the one that it is compared by, as a number that is
  /// greater for a row that comes earlier.
  private static final class Kept {
    private final long rank;
    private final byte[][] values;

    Kept(long rank, byte[][] values) {
      this.rank = rank;
      this.values = values;
    }

    /// Compares by the order in which rows go out; the last one is the least.
    static int compare(Kept left, Kept right) {
      int order = Long.compare(left.rank, right.rank);
      for (int i = 0; order == 0 && i < left.values.length; i++) {
        order = Arrays.compareUnsigned(right.values[i], left.values[i]);
      }
      return order;
    }
  }

  private final int most;
  private final Aggregate value;
  private final boolean isGreatest;
  private final Rows rows = new Rows();
  private final PriorityQueue<Kept> kept = new PriorityQueue<>(Kept::compare);
  private final WriterByColumns writer = new WriterByColumns();

  private Top(int most, Aggregate value, boolean isGreatest) {
    if (most < 1 || most > MOST_ROWS) {
      throw new IllegalArgumentException(
          "the top %d rows: ask for 1 to %d, and sort the file for more"
              .formatted(most, MOST_ROWS));
    }
    this.most = most;
    this.value = value;
    this.isGreatest = isGreatest;
  }

  /// Returns a module that passes the rows with the greatest decimal numbers in a column.
  ///
  /// @param most how many
  /// @param scale the most digits behind the point; a number with more fails the flow
  public static Top greatest(int most, String column, int scale) {
    return new Top(most, decimals(column, scale), true);
  }

  /// Returns a module that passes the rows with the least decimal numbers in a column.
  ///
  /// @param most how many
  /// @param scale the most digits behind the point; a number with more fails the flow
  public static Top least(int most, String column, int scale) {
    return new Top(most, decimals(column, scale), false);
  }

  /// Returns a module that passes the rows with the greatest floating-point numbers in a column.
  ///
  /// @param most how many
  public static Top greatestReals(int most, String column) {
    return new Top(most, reals(column), true);
  }

  /// Returns a module that passes the rows with the least floating-point numbers in a column.
  ///
  /// @param most how many
  public static Top leastReals(int most, String column) {
    return new Top(most, reals(column), false);
  }

  private static Aggregate decimals(String column, int scale) {
    return new Aggregate(Aggregate.Kind.GREATEST, column, GroupBy.refuse(scale), column);
  }

  private static Aggregate reals(String column) {
    return new Aggregate(Aggregate.Kind.GREATEST, column, Aggregate.REAL, column);
  }

  @Override
  public void process(Water in, Stream out) {
    rows.open(in);
    int field = rows.column(value.column());
    RowWriter _ =
        writer.openOnly(
            rows,
            List.of(rows.columns()),
            out,
            () -> RowWriter.like(rows),
            "map them to equal ones first");
    while (rows.next()) {
      long rank = rank(value.value(rows, field));
      if (kept.size() < most) {
        kept.add(new Kept(rank, values()));
      } else if (rank >= kept.element().rank) {
        kept.add(new Kept(rank, values()));
        kept.remove();
      }
    }
  }

  /// Returns a number in the order of the values, or against it.
  private long rank(long found) {
    long rank = found;
    if (value.scale() == Aggregate.REAL && found < 0) {
      rank = found ^ Long.MAX_VALUE; // the bits of negative reals grow as these shrink
    }
    return isGreatest ? rank : ~rank;
  }

  private byte[][] values() {
    byte[][] values = new byte[rows.fields()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = new byte[rows.length(i)];
      rows.bytes(i).copyTo(rows.start(i), values[i], 0, values[i].length);
    }
    return values;
  }

  @Override
  public void finish(Stream out) {
    RowWriter to = writer.current(out);
    if (to == null) {
      return;
    }
    List<Kept> sorted = new ArrayList<>(kept);
    sorted.sort((a, b) -> Kept.compare(b, a));
    for (Kept row : sorted) {
      for (byte[] field : row.values) {
        to.text(field);
      }
      to.end();
    }
    to.flush();
  }

  @Override
  public void destroy() {
    rows.close();
  }
}
