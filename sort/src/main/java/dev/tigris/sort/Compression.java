package dev.tigris.sort;

import dev.tigris.os.GzipInput;
import dev.tigris.os.Zstd;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/// How text is compressed, known by the end of a file's name.
enum Compression {
  /// Not at all.
  NONE(""),
  /// By the JDK.
  GZIP(".gz"),
  /// By the system's libzstd.
  ZSTD(".zst");

  private static final int BUFFER_BYTES = 256 << 10;
  private static final int LEAST_MEMBER_BYTES = 32;
  private static final int ZSTD_LEVEL = 3;

  private final String ending;

  Compression(String ending) {
    this.ending = ending;
  }

  /// The compression of a file of this name.
  ///
  /// @throws SortException if this system cannot do it
  static Compression of(String name) throws SortException {
    for (Compression each : values()) {
      if (each != NONE && name.endsWith(each.ending)) {
        each.requireAvailable(name);
        return each;
      }
    }
    return NONE;
  }

  private void requireAvailable(String name) throws SortException {
    if (this == ZSTD && !Zstd.isAvailable()) {
      throw new SortException(
          SortException.Kind.IO,
          ("%s needs the library libzstd.so.1, which this system does not have: install it"
                  + " (libzstd1), or use the command zstd and a pipe")
              .formatted(name));
    }
  }

  /// What compressed data holds.
  InputStream decompressed(InputStream from) {
    return switch (this) {
      case NONE -> from;
      case GZIP -> new GzipInput(from, BUFFER_BYTES);
      case ZSTD -> Zstd.decompressed(from);
    };
  }

  /// The text as a part of its own: parts that follow one another are one file.
  byte[] compressed(byte[] text, int length) throws IOException {
    return switch (this) {
      case NONE -> text;
      case GZIP -> member(text, length);
      case ZSTD -> Zstd.compress(text, length, ZSTD_LEVEL);
    };
  }

  private static byte[] member(byte[] text, int length) throws IOException {
    var member = new ByteArrayOutputStream(length / 2 + LEAST_MEMBER_BYTES);
    try (var gzip = new GZIPOutputStream(member)) {
      gzip.write(text, 0, length);
    }
    return member.toByteArray();
  }

  /// A stream that compresses what is written to it; it does not close the other one.
  OutputStream compressing(OutputStream to) {
    if (this == NONE) {
      return to;
    }
    var parts =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] text, int from, int length) throws IOException {
            byte[] part = text;
            if (from > 0) {
              part = Arrays.copyOfRange(text, from, from + length);
            }
            to.write(compressed(part, length));
          }
        };
    return new BufferedOutputStream(parts, BUFFER_BYTES);
  }
}
