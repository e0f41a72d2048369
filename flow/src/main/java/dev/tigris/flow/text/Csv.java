package dev.tigris.flow.text;

import java.nio.file.Path;
import java.util.List;

/// Reads and writes files of CSV (RFC 4180) in a flow.
///
/// ```java
/// Flow.named("copy")
///     .stage("pass", () -> (in, out) -> out.put(in), 2)
///     .feed("pass", Csv.reading(Path.of("orders.csv")))
///     .drain("pass", Csv.writing(Path.of("copy.csv")))
///     .build();
/// ```
public final class Csv {
  private Csv() {}

  /// Returns a feed of the rows of files, whose first row names the columns and is the same in all.
  /// Fields are separated by commas.
  public static TextFeed reading(Path... files) {
    return reading(List.of(files));
  }

  /// Returns a feed as [#reading(Path...)] does.
  public static TextFeed reading(List<Path> files) {
    return new TextFeed(files, TextFormat.CSV, TextFeed.BLOCK_BYTES);
  }

  /// Returns a drain to one file, which all replicas of a stage write to, in waters of whole rows.
  /// It has the names of the rows' columns as its first row; a file without rows has none, and is
  /// empty. It gets its name when the flow has succeeded, as a file of
  /// [dev.tigris.flow.FileStream#writing(Path)] does.
  public static TextDrain writing(Path file) {
    return new TextDrain(file, true);
  }
}
