package dev.tigris.memory.arrow;

import dev.tigris.os.Zstd;

/// A method by which the values of an Arrow file are compressed, buffer by buffer. All programs
/// that read Arrow files know both.
public enum ArrowCompression {
  /// Frames of LZ4, as pandas writes them by default: fast to write and to read.
  LZ4(0),
  /// Frames of Zstandard, by the system's libzstd: smaller, and slower.
  ZSTD(1);

  /// The fastest but two: levels above cost more than they save.
  private static final int ZSTD_LEVEL = 3;

  /// Its number in Arrow's metadata.
  final int number;

  ArrowCompression(int number) {
    this.number = number;
  }

  /// Returns whether this system can compress so: ZSTD needs libzstd.
  public boolean isAvailable() {
    return this != ZSTD || Zstd.isAvailable();
  }

  /// Returns a function that makes a frame of the first bytes of an array.
  Frames frames() {
    if (!isAvailable()) {
      throw new UnsupportedOperationException(
          "this system has no libzstd, which compresses by ZSTD: install it (libzstd1), or take LZ4");
    }
    if (this == ZSTD) {
      return (bytes, length) -> Zstd.compress(bytes, length, ZSTD_LEVEL);
    }
    return new Lz4Output()::frame;
  }

  /// Makes frames.
  @FunctionalInterface
  interface Frames {
    byte[] of(byte[] bytes, int length);
  }
}
