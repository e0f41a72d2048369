package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import dev.tigris.os.FileDescriptors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Reads a file into memory, for [Mapping#SNAPSHOT].
final class FileSnapshot {
  /// How much is read at once.
  private static final long PART_BYTES = 8 << 20;

  private final Path path;
  private final FileChannel channel;

  private FileSnapshot(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /// Returns a buffer that nobody has viewed, of at least `leastBytes`.
  static Jbuf read(Path file, long leastBytes) throws IOException {
    Path path;
    try {
      path = file.toRealPath();
    } catch (NoSuchFileException e) {
      throw FileOpening.missing(file, false);
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " is not a regular file, and cannot be mapped");
    }
    int descriptor = FileDescriptors.open(path, false);
    try (FileChannel channel = FileOpening.channel(path, descriptor, false)) {
      // Flushes wait from here on, until the descriptor is closed.
      if (!FileLocks.lock(descriptor, true, FileLocks.LONG_NANOS)) {
        throw new IOException(
            "%s is being flushed for more than %d seconds: try again"
                .formatted(path, FileLocks.LONG_NANOS / 1_000_000_000));
      }
      return new FileSnapshot(path, channel).read(leastBytes);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }

  private Jbuf read(long leastBytes) throws IOException {
    long bytes = channel.size();
    if (bytes == 0) {
      throw new IOException(path + " is empty: there is nothing to read");
    }
    Jbuf jbuf = Jbuf.allocate(Math.max(bytes, leastBytes), path.toString());
    try {
      copyTo(jbuf.address(), bytes);
      Journal.overlay(path, jbuf.address(), bytes);
      return jbuf;
    } catch (Throwable e) { // whatever it is, nobody else could free it
      jbuf.free();
      throw e;
    }
  }

  private void copyTo(long address, long bytes) throws IOException {
    for (long done = 0; done < bytes; ) {
      long part = Math.min(PART_BYTES, bytes - done);
      ByteBuffer into = Raw.range(address + done, part).asByteBuffer();
      int read = channel.read(into, done);
      if (read < 0) {
        throw new IOException(
            "%s was cut short by another program while it was read: it had %d bytes and now ends after %d"
                .formatted(path, bytes, done));
      }
      done += read;
    }
  }
}
