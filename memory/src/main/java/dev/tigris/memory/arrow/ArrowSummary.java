package dev.tigris.memory.arrow;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/// Describes an Arrow file or stream, without reading its values.
///
/// Immutable.
///
/// @param schema its columns
/// @param rows how many there are
/// @param batches the messages that the rows lie in, also those without rows
/// @param dictionaryMessages those with values of dictionaries
/// @param bytes of all messages with rows and dictionaries, without their metadata
/// @param isFile whether it is in the format of files, with a footer, and not of streams
/// @param codecs how values are compressed: `LZ4`, `ZSTD`; empty where they are not
public record ArrowSummary(
    ArrowSchema schema,
    long rows,
    long batches,
    long dictionaryMessages,
    long bytes,
    boolean isFile,
    Set<String> codecs) {
  /// Copies the set.
  public ArrowSummary {
    codecs = Set.copyOf(codecs);
  }

  /// Looks at a file, in the format of Arrow files or of streams.
  ///
  /// @throws ArrowException if it is neither, or its metadata is damaged
  /// @throws IOException if it cannot be read
  public static ArrowSummary of(Path file) throws IOException {
    return of(RowSource.open(file));
  }

  /// Reads a stream of bytes to its end, in either format, and closes it; errors as for
  /// [#of(Path)].
  public static ArrowSummary of(InputStream in) throws IOException {
    return of(RowSource.of(in));
  }

  private static ArrowSummary of(RowSource opened) throws IOException {
    try (RowSource source = opened) {
      long rows = 0;
      long batches = 0;
      long dictionaries = 0;
      long bytes = 0;
      Set<BufferRange.Codec> codecs = EnumSet.noneOf(BufferRange.Codec.class);
      for (var message = source.next(); message != null; message = source.next()) {
        boolean isDictionary = message.kind() == Metadata.DICTIONARY;
        FlatTable header = isDictionary ? message.header().required(1, "values") : message.header();
        BatchWalk walk = new BatchWalk(header, message.body());
        codecs.add(walk.codec());
        bytes += message.body().bytes();
        dictionaries += isDictionary ? 1 : 0;
        batches += isDictionary ? 0 : 1;
        rows = isDictionary ? rows : Math.min(rows, Long.MAX_VALUE - walk.rows()) + walk.rows();
      }
      codecs.remove(BufferRange.Codec.NONE);
      Set<String> names = new java.util.TreeSet<>();
      codecs.forEach(codec -> names.add(codec.name()));
      return new ArrowSummary(
          new ArrowSchema(source.fields()),
          rows,
          batches,
          dictionaries,
          bytes,
          source.hasFooter(),
          names);
    }
  }
}
