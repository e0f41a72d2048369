package dev.tigris.flow.operator;

import dev.tigris.flow.text.Hash;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Records of a module that do not fit its memory, in temporary files: those whose hashes have
/// equal bits lie in one file. The files have no names, so that nothing of them is left, whatever
/// ends the process.
///
/// ```
///   record    0        8         12         16
///             +--------+---------+----------+-----------------------+
///             |  hash  | bytes   | zero     | bytes, and zeros up   |
///             |        |         |          | to a multiple of 8    |
///             +--------+---------+----------+-----------------------+
/// ```
///
/// Thread rule: one thread at a time.
final class Spill implements AutoCloseable {
  /// Takes the records of a part.
  interface Reader {
    void accept(Bytes bytes, int start, int length, long hash) throws IOException;
  }

  static final int PARTS = 16;
  /// So often, a part is divided by 16: more parts than there are hashes.
  private static final int MOST_LEVELS = 16;

  private static final int HEAD_BYTES = 16;
  private static final int BUFFER_BYTES = 64 << 10;

  /// How often parts were divided before, so that the hashes of a part differ in the next division.
  private final int level;

  private final Path folder;
  private final Jbuf buffer = Jbuf.allocate((long) PARTS * BUFFER_BYTES, "spilled rows");
  private final Bytes bytes = buffer.asBytes();
  private final ByteBuffer channelView = bytes.byteBuffer();
  private final int[] filled = new int[PARTS];
  private final FileChannel[] files = new FileChannel[PARTS];
  private final long[] written = new long[PARTS];

  Spill(Path folder, int level) {
    this.folder = folder;
    this.level = level;
  }

  /// Returns a place for the records of one of its parts, which it divides otherwise.
  ///
  /// @throws IOException if records were divided so often that only those with equal hashes are
  ///     left
  Spill divided() throws IOException {
    if (level == MOST_LEVELS) {
      throw new IOException(
          "keys with equal hashes do not fit the memory of a replica: allow more memory");
    }
    return new Spill(folder, level + 1);
  }

  /// Adds a record.
  void add(long hash, Bytes from, long start, int length) throws IOException {
    int part = Hash.part(Hash.again(hash, level + 1), PARTS);
    int size = HEAD_BYTES + ((length + 7) & -8);
    if (size > BUFFER_BYTES - filled[part]) {
      flush(part);
    }
    if (size > BUFFER_BYTES) {
      addLarge(part, hash, from, start, length);
      return;
    }
    int at = part * BUFFER_BYTES + filled[part];
    head(at, hash, length);
    from.copyTo(start, bytes, at + HEAD_BYTES, length);
    filled[part] += size;
  }

  private void head(int at, long hash, int length) {
    bytes.setLong(at, hash);
    bytes.setLong(at + 8L, length);
  }

  private void addLarge(int part, long hash, Bytes from, long start, int length)
      throws IOException {
    int at = part * BUFFER_BYTES;
    head(at, hash, length);
    write(part, at, HEAD_BYTES);
    int size = (length + 7) & -8;
    for (int done = 0; done < size; ) {
      int step = Math.min(BUFFER_BYTES, size - done);
      from.copyTo(start + done, bytes, at, Math.min(step, length - done));
      write(part, at, step);
      done += step;
    }
  }

  private void flush(int part) throws IOException {
    if (filled[part] > 0) {
      write(part, part * BUFFER_BYTES, filled[part]);
      filled[part] = 0;
    }
  }

  private void write(int part, int from, int length) throws IOException {
    try {
      if (files[part] == null) {
        files[part] = open();
      }
      ByteBuffer window = channelView.clear().limit(from + length).position(from);
      while (window.hasRemaining()) {
        written[part] += files[part].write(window, written[part]);
      }
    } catch (IOException e) {
      throw new IOException(
          "cannot write %d bytes to a temporary file in %s: %s; name a folder with more room, or allow more memory"
              .formatted(length, folder, e.getMessage()),
          e);
    }
  }

  private FileChannel open() throws IOException {
    Path path = Files.createTempFile(folder, ".tigris-", ".spill");
    try {
      return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } finally {
      Files.delete(path); // the data stays until the channel is closed
    }
  }

  /// Returns how many bytes a part has.
  long bytes(int part) {
    return written[part] + filled[part];
  }

  /// Reads all records of a part, in the order in which they were added.
  void read(int part, Reader reader) throws IOException {
    flush(part);
    FileChannel file = files[part];
    if (file == null) {
      return;
    }
    var window = new Window(file, written[part]);
    try {
      window.read(reader);
    } finally {
      window.jbuf.unreference(Jbuf::free);
    }
  }

  /// Gives up the data of a part.
  void drop(int part) throws IOException {
    FileChannel file = files[part];
    if (file != null) {
      file.close();
      files[part] = null;
      written[part] = 0;
    }
    filled[part] = 0;
  }

  @Override
  public void close() throws IOException {
    for (int part = 0; part < PARTS; part++) {
      drop(part);
    }
    buffer.unreference(Jbuf::free);
  }

  /// The records of a part, as they are read from its file.
  private final class Window {
    private final FileChannel file;
    private final long bytes;
    private Jbuf jbuf = Jbuf.allocate(4L * BUFFER_BYTES, "spilled rows");
    private Bytes block = jbuf.asBytes();
    private ByteBuffer channelView = block.byteBuffer();
    private long position;
    private int from;
    private int end;

    Window(FileChannel file, long bytes) {
      this.file = file;
      this.bytes = bytes;
    }

    private void read(Reader reader) throws IOException {
      while (position < bytes || from < end) {
        int needed = end - from < HEAD_BYTES ? HEAD_BYTES : size(from);
        if (end - from >= needed) {
          reader.accept(block, from + HEAD_BYTES, block.getInt(from + 8L), block.getLong(from));
          from += needed;
        } else {
          more(needed);
        }
      }
    }

    private int size(int record) {
      return HEAD_BYTES + ((block.getInt(record + 8L) + 7) & -8);
    }

    private void more(int needed) throws IOException {
      if (needed > block.length()) {
        Jbuf larger = Jbuf.allocate(needed, "spilled rows");
        Bytes room = larger.asBytes();
        block.copyTo(from, room, 0, end - from);
        block = room;
        channelView = room.byteBuffer();
        jbuf.unreference(Jbuf::free);
        jbuf = larger;
      } else {
        block.copyTo(from, block, 0, end - from);
      }
      end -= from;
      from = 0;
      channelView.clear().position(end);
      int read = file.read(channelView, position);
      if (read <= 0) {
        throw new IOException("a temporary file in %s ends too early".formatted(folder));
      }
      position += read;
      end += read;
    }
  }
}
