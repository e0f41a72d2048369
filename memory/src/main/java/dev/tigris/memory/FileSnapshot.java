package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import dev.tigris.os.FileDescriptors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Reads a file into memory, for [Mapping#SNAPSHOT].
///
/// The lock that keeps flushes away is that of the file that was opened. The journal is found by
/// name, and would be another file's if that has taken the name meanwhile, after a conversion or
/// when a copy is put back. Then all is read again. A file whose journal has no record needs none:
/// it is read once, whatever becomes of its name.
final class FileSnapshot {
  /// How much is read at once.
  private static final long PART_BYTES = 8 << 20;

  /// How often a file is read whose name leads elsewhere each time.
  static final int MOST_ATTEMPTS = 20;

  private final Path path;
  private final int descriptor;
  private final FileChannel channel;

  private FileSnapshot(Path path, int descriptor, FileChannel channel) {
    this.path = path;
    this.descriptor = descriptor;
    this.channel = channel;
  }

  /// Returns a buffer that nobody has viewed, of at least `leastBytes`.
  static Jbuf read(Path file, long leastBytes) throws IOException {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      Jbuf whole = readOnce(file, leastBytes);
      if (whole != null) {
        return whole;
      }
      FileLocks.pause();
    }
    throw new IOException(
        "%s was replaced each of the %d times that it was read, and its journal may be that of another file: read it when no program replaces it"
            .formatted(file, MOST_ATTEMPTS));
  }

  /// Returns null if the file was replaced meanwhile.
  private static @Nullable Jbuf readOnce(Path file, long leastBytes) throws IOException {
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
      FileLocks.lockForSnapshot(path, descriptor);
      return new FileSnapshot(path, descriptor, channel).read(leastBytes);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }

  private @Nullable Jbuf read(long leastBytes) throws IOException {
    long bytes = channel.size();
    if (bytes == 0) {
      throw new IOException(path + " is empty: there is nothing to read");
    }
    Jbuf jbuf = Jbuf.allocate(Math.max(bytes, leastBytes), path.toString());
    boolean isWhole = false;
    try {
      isWhole = fill(jbuf.address(), bytes);
      return isWhole ? jbuf : null;
    } finally {
      if (!isWhole) {
        jbuf.free(); // whatever has happened, no other code could free it
      }
    }
  }

  /// Reads the file and its journal. Returns false if the journal may be that of another file.
  private boolean fill(long address, long bytes) throws IOException {
    if (!FileOpening.isNameOf(path, descriptor)) {
      return false;
    }
    if (!Journal.mayHaveRecord(path) && FileOpening.isNameOf(path, descriptor)) {
      // The journal was this file's, and under the lock no flush begins: the file has all.
      copyTo(address, bytes);
      return true;
    }
    try {
      copyTo(address, bytes);
      Journal.overlay(path, address, bytes);
    } catch (IOException e) {
      // The lock keeps no flush of another file from changing the journal while it is read.
      if (FileOpening.isNameOf(path, descriptor)) {
        throw e;
      }
    }
    return FileOpening.isNameOf(path, descriptor);
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
