package dev.tigris.flow.text;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.ends.FeedStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A feed of rows, read from files by all replicas of a stage together: each takes the next block
/// of a file when it has time for one. So a single large file keeps all replicas busy, and a slow
/// replica reads less. [Csv#reading] and [Lines#reading] make feeds; the `with...` methods return
/// changed copies.
///
/// Every row comes once, whole, in a water that [Rows] opens. The rows of a water lie beside one
/// another in their file, and the waters of a replica come in the order of the file.
///
/// A row belongs to the block that it begins in. For lines, a block's first one begins behind the
/// first line feed. For CSV, a line feed between quotes ends no row, so each replica counts the
/// quotes of the block that it has read, and waits until those of all blocks before it are counted:
/// these were taken before, by replicas that are about to say it.
///
/// A file whose name ends with `.gz` or `.zst` is decompressed by one replica at a time, and its
/// rows go to all of them. So is a file without a size, such as those in `/proc`, read.
public final class TextFeed extends StreamGroup {
  /// A water of a block, a row's rest and a file's name has one of the allocator's sizes, 256 KiB.
  static final int BLOCK_BYTES = 248 << 10;

  /// A longer row is refused: most often, a quote has no end.
  static final int MOST_ROW_BYTES = 256 << 20;

  private final List<Path> files;
  private final TextFormat format;
  private final int blockBytes;

  TextFeed(List<Path> files, TextFormat format, int blockBytes) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("a feed needs a file at least: name one");
    }
    this.files = List.copyOf(files);
    this.format = format;
    this.blockBytes = blockBytes;
  }

  /// Returns a feed of rows whose fields this ASCII character separates.
  public TextFeed withSeparator(char separator) {
    return new TextFeed(files, format.withSeparator(separator), blockBytes);
  }

  /// Returns a feed of files whose first row is one as any other, and names no columns.
  public TextFeed withoutHeader() {
    return new TextFeed(files, format.withHeader(false), blockBytes);
  }

  /// Returns a feed of lines whose first one names the columns.
  public TextFeed withHeader() {
    return new TextFeed(files, format.withHeader(true), blockBytes);
  }

  /// Returns a feed that reads so many bytes at once.
  ///
  /// @throws IllegalArgumentException unless it is between 1 and 64 MiB
  public TextFeed withBlockBytes(int bytes) {
    if (bytes < 1 || bytes > 64 << 20) {
      throw new IllegalArgumentException(
          "blocks of %d bytes: a block has 1 to %d".formatted(bytes, 64 << 20));
    }
    return new TextFeed(files, format, bytes);
  }

  /// Reads the names of the columns: the first row of the first file. There are none where the file
  /// is empty, or its first row is one as any other.
  ///
  /// @throws IOException if the file cannot be read
  public List<String> columns() throws IOException {
    TextFile file = TextFile.open(files.getFirst(), format, blockBytes);
    try {
      byte[] names = file.names();
      return names == null
          ? List.of()
          : List.of(Names.of(names, format.separator(), format.isCsv()));
    } finally {
      file.left();
    }
  }

  @Override
  protected List<StreamKind> kinds(int replicas) {
    var source = new TextSource(files, format, blockBytes);
    List<StreamKind> kinds = new ArrayList<>();
    for (int i = 0; i < replicas; i++) { // they stay together, so one tells of the files
      kinds.add(new Kind(source, format, blockBytes, i == 0 ? files : List.of()));
    }
    return kinds;
  }

  /// The kind of one of the streams.
  private record Kind(TextSource source, TextFormat format, int blockBytes, List<Path> reads)
      implements StreamKind {
    @Override
    public Stream open(Place place) throws IOException {
      source.opened();
      return new FeedStream(place, source);
    }

    @Override
    public String description() {
      return "rows of %s in blocks of %d bytes".formatted(format, blockBytes);
    }
  }
}
