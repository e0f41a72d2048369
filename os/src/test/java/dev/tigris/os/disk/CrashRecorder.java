package dev.tigris.os.disk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Records what is written to one file, and draws images that a loss of power may leave of it.
///
/// At any moment, the disk has all writes that were done before a sync began that is done. Of each
/// other write that has begun, it has any of the 512-byte sectors, whatever the others are: so
/// writes are reordered, torn and dropped.
final class CrashRecorder extends FaultyEngine {
  static final int SECTOR_BYTES = 512;

  private static final class Write {
    final long position;
    final byte[] bytes;
    boolean isDone;
    boolean isDurable;

    Write(long position, byte[] bytes) {
      this.position = position;
      this.bytes = bytes;
    }
  }

  /// A piece that is under way: its write, or the writes that a sync covers.
  private record Piece(@Nullable Write write, List<Write> covered) {}

  private final List<Write> writes = new ArrayList<>();
  private final @Nullable Piece[] underWay = new Piece[DiskQueue.MOST_DEPTH];

  @Override
  void onBegin(int where, DiskOperation.Kind kind, long position, MemorySegment part) {
    switch (kind) {
      case READ -> underWay[where] = new Piece(null, List.of());
      case WRITE -> {
        Write write = new Write(position, part.toArray(ValueLayout.JAVA_BYTE));
        writes.add(write);
        underWay[where] = new Piece(write, List.of());
      }
      case SYNC ->
          underWay[where] = new Piece(null, writes.stream().filter(write -> write.isDone).toList());
    }
  }

  @Override
  void onDone(int where) {
    Piece piece = underWay[where];
    if (piece != null && piece.write() != null) {
      piece.write().isDone = true;
    } else if (piece != null) {
      piece.covered().forEach(write -> write.isDurable = true);
    }
    underWay[where] = null;
  }

  /// Draws an image of the file, as a loss of power now may leave it.
  byte[] image(int bytes, RandomGenerator random) {
    byte[] image = new byte[bytes];
    // Some images lose everything that may be lost, and some nothing.
    int odds = random.nextInt(5);
    for (Write write : writes) {
      for (int at = 0; at < write.bytes.length; at += SECTOR_BYTES) {
        if (write.isDurable || random.nextInt(4) < odds) {
          int length = Math.min(SECTOR_BYTES, write.bytes.length - at);
          System.arraycopy(write.bytes, at, image, (int) write.position + at, length);
        }
      }
    }
    return image;
  }
}
