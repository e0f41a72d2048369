package dev.tigris.flow.text;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.Water;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Reads all rows of a feed, for tests.
public final class ReadRows {
  /// A row, where it lies, and the values of its fields, each character a byte.
  public record Row(String file, long offset, List<String> fields) {}

  private ReadRows() {}

  /// Returns the rows in the order of their files.
  public static List<Row> of(StreamGroup feed, int replicas)
      throws FlowException, InterruptedException {
    List<Row> all = new ArrayList<>();
    Flow.named("read")
        .stage("read", () -> new Reader(all), replicas)
        .feed("read", feed)
        .build()
        .start()
        .await();
    all.sort(Comparator.comparing(Row::file).thenComparingLong(Row::offset));
    return all;
  }

  /// Returns the fields of the rows in the order of their files.
  public static List<List<String>> fields(StreamGroup feed, int replicas)
      throws FlowException, InterruptedException {
    return of(feed, replicas).stream().map(Row::fields).toList();
  }

  private record Reader(List<Row> all, Rows rows) implements Module {
    Reader(List<Row> all) {
      this(all, new Rows());
    }

    @Override
    public void process(Water in, Stream out) {
      List<Row> found = new ArrayList<>();
      rows.open(in);
      while (rows.next()) {
        List<String> fields = new ArrayList<>();
        for (int field = 0; field < rows.fields(); field++) {
          var bytes = new byte[rows.length(field)];
          rows.bytes(field).copyTo(rows.start(field), bytes, 0, bytes.length);
          fields.add(new String(bytes, StandardCharsets.ISO_8859_1));
        }
        found.add(new Row(rows.file(), rows.offset(), fields));
      }
      synchronized (all) {
        all.addAll(found);
      }
    }

    @Override
    public void destroy() {
      rows.close();
    }
  }
}
