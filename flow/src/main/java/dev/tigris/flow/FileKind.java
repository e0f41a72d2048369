package dev.tigris.flow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The kinds of streams over one file.
///
/// @param isWriting whether the file is written
/// @param file the file, as the program names it
/// @param position where reading begins
/// @param endPosition where reading ends at the latest
/// @param waterBytes how many bytes are read into a water
/// @param sync whether what is written is on the disk before it gets its name
record FileKind(
    boolean isWriting, Path file, long position, long endPosition, int waterBytes, boolean sync)
    implements StreamKind {
  static FileKind writing(Path file, boolean sync) {
    return new FileKind(true, file, 0, Long.MAX_VALUE, 0, sync);
  }

  static FileKind reading(Path file, long position, long bytes, int waterBytes) {
    if (position < 0 || bytes < 0) {
      throw new IllegalArgumentException(
          "cannot read %d bytes at %d of %s: neither may be negative"
              .formatted(bytes, position, file));
    }
    if (waterBytes < 1 || waterBytes > Water.MOST_BYTES) {
      throw new IllegalArgumentException(
          "waters of %d bytes: a water to read into has 1 to %d"
              .formatted(waterBytes, Water.MOST_BYTES));
    }
    long end = bytes > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + bytes;
    return new FileKind(false, file, position, end, waterBytes, false);
  }

  @Override
  public Stream open(Place place) throws IOException {
    return new FileStream(place, this);
  }

  @Override
  public Ends ends() {
    return isWriting ? Ends.SENDER : Ends.RECEIVER;
  }

  @Override
  public List<Path> reads() {
    return isWriting ? List.of() : List.of(file);
  }

  @Override
  public String description() {
    if (isWriting) {
      return "file %s, written%s".formatted(file, sync ? "" : " without a sync");
    }
    String part =
        position == 0 && endPosition == Long.MAX_VALUE
            ? ""
            : " from %d to %d".formatted(position, endPosition);
    return "file %s, read%s in waters of %d bytes".formatted(file, part, waterBytes);
  }
}
