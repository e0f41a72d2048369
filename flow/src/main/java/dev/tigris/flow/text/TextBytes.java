package dev.tigris.flow.text;

import dev.tigris.flow.FileTime;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.flow.mirror.MirrorFile;
import dev.tigris.os.LastingFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The bytes of a text, at any position: of a file, or of a mirrored data set.
///
/// Thread rule: any thread.
interface TextBytes extends Closeable {
  /// Reads some bytes from a position on; returns how many, and -1 at the end.
  int read(ByteBuffer to, long position) throws IOException;

  /// Returns how many bytes there are.
  long size() throws IOException;

  /// Opens a file, or the data set whose manifest it is.
  static TextBytes open(Path path) throws IOException {
    if (Mirror.isManifest(path)) {
      return of(Mirror.open(path).openFile());
    }
    return of(
        new LastingFile(
            path, FileChannel.open(path, StandardOpenOption.READ), StandardOpenOption.READ));
  }

  private static TextBytes of(LastingFile file) {
    return new TextBytes() {
      @Override
      public int read(ByteBuffer to, long position) throws IOException {
        try (FileTime _ = FileTime.begin()) {
          return file.read(to, position);
        }
      }

      @Override
      public long size() throws IOException {
        return file.size();
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  private static TextBytes of(MirrorFile file) {
    return new TextBytes() {
      @Override
      public int read(ByteBuffer to, long position) throws IOException {
        try (FileTime _ = FileTime.begin()) {
          return file.read(to, position);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          var failure =
              new InterruptedIOException("interrupted while a mirrored data set was read");
          failure.initCause(e);
          throw failure;
        }
      }

      @Override
      public long size() {
        return file.size();
      }

      @Override
      public void close() {
        file.close();
      }
    };
  }
}
