package dev.tigris.flow.text;

import dev.tigris.flow.FileTime;
import dev.tigris.os.GzipInput;
import dev.tigris.os.Zstd;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/// Opens files that are read from their beginning only.
final class Packed {
  private static final int BUFFER_BYTES = 256 << 10;

  private Packed() {}

  /// A file whose reads are time with files, where what is decompressed of it is not.
  private static final class Counted extends FileInputStream {
    Counted(Path path) throws IOException {
      super(path.toFile());
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      try (FileTime _ = FileTime.begin()) {
        return super.read(to, from, length);
      }
    }
  }

  /// Returns whether a file of this name is compressed.
  static boolean isPacked(Path path) {
    String name = path.toString();
    return name.endsWith(".gz") || name.endsWith(".zst");
  }

  /// Returns what the file holds. An interrupt of a thread that reads does not close it, since
  /// other threads read it, too.
  ///
  /// @throws IOException if it is compressed in a way that is not read here
  static InputStream open(Path path) throws IOException {
    if (path.toString().endsWith(".gz")) {
      return new GzipInput(new Counted(path), BUFFER_BYTES);
    }
    if (!path.toString().endsWith(".zst")) {
      return new Counted(path);
    }
    if (!Zstd.isAvailable()) {
      throw new IOException(
          "it needs the library libzstd.so.1, which this system does not have: install it (libzstd1), or decompress the file first");
    }
    return Zstd.decompressed(new Counted(path));
  }
}
