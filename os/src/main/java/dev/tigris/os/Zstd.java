package dev.tigris.os;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Compression in the format of Zstandard (RFC 8878), by the system's libzstd.
///
/// The library is loaded at first use. A system without it gets an [UnsupportedOperationException]
/// that names it.
///
/// Thread rule: the functions by any thread, a stream by one thread at a time.
public final class Zstd {
  /// Of the error codes of the library, which keep their numbers.
  private static final int UNKNOWN_FORMAT = 10;

  private static final int WINDOW_TOO_LARGE = 16;
  private static final int CHECKSUM_WRONG = 22;
  private static final int NO_MEMORY = 64;

  private Zstd() {}

  /// Reports that compressed data cannot be decompressed.
  public static final class DataException extends IOException {
    private static final long serialVersionUID = 1;

    DataException(String message) {
      super(message);
    }
  }

  /// The functions of the library, found once.
  // SAFETY: lifetime: the global arena keeps the library loaded for as long as the process runs;
  // bounds: those who call say, under a comment of their own; thread: the library keeps no state
  // but in the contexts that it hands out.
  private static final class Library {
    private static final String NAME = "libzstd.so.1";
    static final @Nullable SymbolLookup SYMBOLS = load();
    static final LibraryFunction COMPRESS = ofLong("ZSTD_compress");
    static final LibraryFunction COMPRESS_BOUND = ofLong("ZSTD_compressBound");
    static final LibraryFunction IS_ERROR = ofInt("ZSTD_isError");
    static final LibraryFunction ERROR_CODE = ofInt("ZSTD_getErrorCode");
    static final LibraryFunction NEW_STREAM = ofLong("ZSTD_createDStream");
    static final LibraryFunction FREE_STREAM = ofLong("ZSTD_freeDStream");
    static final LibraryFunction DECOMPRESS = ofLong("ZSTD_decompressStream");

    private Library() {}

    @SuppressWarnings("restricted")
    private static @Nullable SymbolLookup load() {
      String name = System.mapLibraryName("zstd").endsWith(".dylib") ? "libzstd.1.dylib" : NAME;
      try {
        return SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException e) {
        return null; // it is not installed
      }
    }

    private static LibraryFunction ofLong(String name) {
      return new LibraryFunction(name, false, find(name));
    }

    private static LibraryFunction ofInt(String name) {
      return new LibraryFunction(name, true, find(name));
    }

    private static MemorySegment find(String name) {
      SymbolLookup symbols = SYMBOLS;
      return symbols == null ? MemorySegment.NULL : symbols.find(name).orElse(MemorySegment.NULL);
    }
  }

  /// Returns whether this system has the library.
  public static boolean isAvailable() {
    return Library.SYMBOLS != null && Library.DECOMPRESS.code().address() != 0;
  }

  private static void require() {
    if (!isAvailable()) {
      throw new UnsupportedOperationException(
          "this system has no libzstd.so.1, which compresses and decompresses .zst: install it"
              + " (libzstd1), or use the command zstd and a pipe");
    }
  }

  /// Compresses bytes to a frame of its own; frames that follow one another are one stream.
  ///
  /// @param level from 1, the fastest, to 19
  /// @throws UnsupportedOperationException if the system does not have the library
  public static byte[] compress(byte[] bytes, int length, int level) {
    Objects.checkFromToIndex(0, length, bytes.length);
    require();
    try (Arena arena = Arena.ofConfined()) {
      long most = Library.COMPRESS_BOUND.callQuietly(length, 0, 0);
      MemorySegment from = arena.allocate(Math.max(1, length));
      MemorySegment to = arena.allocate(most);
      MemorySegment.copy(bytes, 0, from, ValueLayout.JAVA_BYTE, 0, length);
      // SAFETY: bounds: the library reads `length` bytes of `from` and writes at most `most` of
      // `to`, which have as many; lifetime: the arena closes after the call; thread: confined, and
      // the function makes a context of its own.
      long written =
          Library.COMPRESS.callQuietly(to.address(), most, from.address(), length, level);
      if (Library.IS_ERROR.callQuietly(written, 0, 0) != 0 || written > most) {
        throw new OutOfMemoryError("libzstd has too little memory to compress a block");
      }
      byte[] frame = new byte[(int) written];
      MemorySegment.copy(to, ValueLayout.JAVA_BYTE, 0, frame, 0, frame.length);
      return frame;
    }
  }

  /// Returns what a stream of frames holds. The stream is closed with it.
  ///
  /// @throws UnsupportedOperationException if the system does not have the library
  public static InputStream decompressed(InputStream from) {
    require();
    return new Decompressed(from);
  }

  /// Decompresses as it is read.
  ///
  /// ```
  ///   ZSTD_inBuffer, ZSTD_outBuffer    0          8        16
  ///                                    +----------+--------+----------+
  ///                                    | address  |  size  | position |
  ///                                    +----------+--------+----------+
  /// ```
  private static final class Decompressed extends InputStream {
    private static final int BUFFER_BYTES = 128 << 10;
    private static final long SIZE = 8;
    private static final long POSITION = 16;
    private static final long STRUCT_BYTES = 24;

    private final InputStream source;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment in = arena.allocate(BUFFER_BYTES);
    private final MemorySegment out = arena.allocate(BUFFER_BYTES);
    private final MemorySegment inState = arena.allocate(STRUCT_BYTES, SIZE);
    private final MemorySegment outState = arena.allocate(STRUCT_BYTES, SIZE);
    private final byte[] block = new byte[BUFFER_BYTES];
    private final long stream;
    private long read;
    private long taken;

    /// Of the first frame, too, before its first byte: no data at all is cut data.
    private boolean isInsideFrame = true;

    private boolean sourceEnded;
    private boolean closed;

    Decompressed(InputStream source) {
      this.source = source;
      inState.set(ValueLayout.JAVA_LONG, 0, in.address());
      outState.set(ValueLayout.JAVA_LONG, 0, out.address());
      this.stream = Library.NEW_STREAM.callQuietly(0, 0, 0);
      if (stream == 0) {
        arena.close();
        throw new OutOfMemoryError("libzstd has too little memory to decompress");
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      if (length == 0) {
        return 0;
      }
      if (closed) {
        throw new IOException("the stream is closed");
      }
      while (taken == read) {
        if (!decompress()) {
          return -1;
        }
      }
      int count = (int) Math.min(length, read - taken);
      MemorySegment.copy(out, ValueLayout.JAVA_BYTE, taken, target, offset, count);
      taken += count;
      return count;
    }

    /// Fills the buffer; returns false at the end.
    private boolean decompress() throws IOException {
      boolean holdsMore = read == BUFFER_BYTES && isInsideFrame; // it needs no more input for that
      if (!holdsMore && position(inState) == size(inState)) {
        fetch();
      }
      if (sourceEnded && !holdsMore) {
        if (isInsideFrame) {
          throw new EOFException("its last frame is not complete");
        }
        return false;
      }
      outState.set(ValueLayout.JAVA_LONG, SIZE, BUFFER_BYTES);
      outState.set(ValueLayout.JAVA_LONG, POSITION, 0);
      long before = position(inState);
      // SAFETY: bounds: the library reads `in` up to its size, writes `out` up to its size, which
      // are not larger than the segments, and updates the positions; lifetime: the arena and the
      // stream are closed by `close` only, after which this method throws; thread: one at a time.
      long left = Library.DECOMPRESS.callQuietly(stream, outState.address(), inState.address());
      if (Library.IS_ERROR.callQuietly(left, 0, 0) != 0) {
        throw failure((int) Library.ERROR_CODE.callQuietly(left, 0, 0));
      }
      read = Math.clamp(position(outState), 0, BUFFER_BYTES);
      taken = 0;
      if (read > 0 || position(inState) > before) { // otherwise it says what a new frame needs
        isInsideFrame = left != 0;
      }
      return true;
    }

    private void fetch() throws IOException {
      int count = source.read(block, 0, BUFFER_BYTES);
      sourceEnded = count < 0;
      if (count > 0) {
        MemorySegment.copy(block, 0, in, ValueLayout.JAVA_BYTE, 0, count);
      }
      inState.set(ValueLayout.JAVA_LONG, SIZE, Math.max(0, count));
      inState.set(ValueLayout.JAVA_LONG, POSITION, 0);
    }

    private static long position(MemorySegment state) {
      return state.get(ValueLayout.JAVA_LONG, POSITION);
    }

    private static long size(MemorySegment state) {
      return state.get(ValueLayout.JAVA_LONG, SIZE);
    }

    private static IOException failure(int error) {
      return switch (error) {
        case UNKNOWN_FORMAT -> new DataException("it does not have the format of Zstandard");
        case WINDOW_TOO_LARGE ->
            new DataException(
                "it needs a window of more than 128 MiB, which is refused since it may be an"
                    + " attack: decompress it with zstd --long=31");
        case CHECKSUM_WRONG -> new DataException("a checksum in it is wrong");
        case NO_MEMORY -> new DataException("libzstd has too little memory to decompress it");
        default -> new DataException("it is damaged, libzstd's error %d".formatted(error));
      };
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        // SAFETY: the stream came from ZSTD_createDStream, is freed once, and used no more.
        Library.FREE_STREAM.callQuietly(stream, 0, 0);
        arena.close();
      }
      source.close();
    }
  }
}
