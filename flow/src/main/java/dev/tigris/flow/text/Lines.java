package dev.tigris.flow.text;

import java.nio.file.Path;
import java.util.List;

/// Reads and writes files of lines in a flow. A line ends with a line feed; a return before that is
/// part of the line. The bytes of a line are in no particular encoding.
public final class Lines {
  private Lines() {}

  /// Returns a feed of the lines of files. A line is one field.
  public static TextFeed reading(Path... files) {
    return reading(List.of(files));
  }

  /// Returns a feed as [#reading(Path...)] does.
  public static TextFeed reading(List<Path> files) {
    return new TextFeed(files, TextFormat.LINES, TextFeed.BLOCK_BYTES);
  }

  /// Returns a feed of lines whose fields this ASCII character separates, without quotes.
  public static TextFeed separatedBy(char separator, Path... files) {
    return reading(files).withSeparator(separator);
  }

  /// Returns a drain to one file, which all replicas of a stage write to, in waters of whole lines,
  /// without the names of columns. It gets its name when the flow has succeeded, as a file of
  /// [dev.tigris.flow.FileStream#writing(Path)] does.
  public static TextDrain writing(Path file) {
    return new TextDrain(file, false);
  }
}
