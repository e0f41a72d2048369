package dev.tigris.flow.text;

import dev.tigris.flow.StreamGroup;
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
  /// It has the names of the rows' columns as its first row, also if there are no rows. It gets its
  /// name when the flow has succeeded, as a file of
  /// [dev.tigris.flow.FileStream#writing(Path)] does.
  public static TextDrain writing(Path file) {
    return new TextDrain(file, true);
  }

  /// Returns a drain to one file for each value of columns, as Spark's `partitionBy` makes: rows
  /// whose country is `DE` go to `country=DE/part-00000.csv` in the folder, without that column.
  /// Several columns make folders in folders. Hive, Spark and DuckDB read the values from these
  /// names; an empty value is `__HIVE_DEFAULT_PARTITION__`.
  ///
  /// All replicas write each file together. The folder appears with all of its files when the flow
  /// has succeeded; one with files in it is refused. So are more than 4096 files.
  public static StreamGroup writingPartitions(Path folder, String... columns) {
    return new PartitionDrain(folder, List.of(columns), 0);
  }

  /// Returns a drain to a number of files, `part-00000.csv` and so on, by the hash of the values of
  /// columns: rows with equal values go to one file. Files and folder appear as those of
  /// [#writingPartitions].
  ///
  /// @param parts the number of files, between 1 and 4096
  public static StreamGroup writingParts(Path folder, int parts, String... columns) {
    if (parts < 1 || parts > 4096) {
      throw new IllegalArgumentException("%d parts: ask for 1 to 4096".formatted(parts));
    }
    return new PartitionDrain(folder, List.of(columns), parts);
  }
}
