package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.Raw;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.Pages;
import dev.tigris.os.UninterruptedWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// A file that is mapped over a range of the pool, for one [Jbuf].
///
/// Thread rule: all methods are synchronized. No thread writes to the memory while [#flush] runs.
final class FileMapping {
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

  final Path path;
  final Mapping mapping;

  private final FileChannel channel;
  private final @Nullable Journal journal;
  private final Pool pool;
  private final long address;
  private final long bytes;
  private boolean closed;

  /// Maps a file. A file that is missing or shorter than `leastBytes` is filled with zeros up to
  /// that length. It gets blocks on the disk and is not left sparse, so that a full disk is found
  /// here and not by a later write.
  static FileMapping open(Path file, Mapping mapping, long leastBytes, Pool pool)
      throws IOException {
    boolean writable = mapping != Mapping.PRIVATE;
    if (mapping == Mapping.DURABLE) {
      Journal.requireRoomFor(target(file)); // before it is made
    }
    Path path;
    try {
      if (writable && leastBytes > 0) {
        createIfMissing(file, leastBytes);
      }
      path = file.toRealPath(); // so that one file has one journal
    } catch (NoSuchFileException e) {
      throw missing(file, writable);
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " is not a regular file, and cannot be mapped");
    }
    Journal journal = null;
    if (mapping == Mapping.DURABLE) {
      journal = Journal.own(path);
    } else {
      Journal.requireNone(path);
    }
    int descriptor = -1;
    FileChannel channel = null;
    try {
      descriptor = FileDescriptors.open(path, writable);
      channel = channel(path, descriptor, writable);
      if (writable && channel.size() == 0) {
        Journal.syncFolder(
            path); // before it has anything: the process that made it may have died before
      }
      if (journal != null) {
        journal.apply(channel);
      }
      if (writable && extend(path, descriptor, channel, leastBytes) && journal != null) {
        // A journal on the disk is of no use if a crash takes the size of its file.
        channel.force(true);
      }
      return new FileMapping(path, mapping, channel, journal, pool, descriptor);
    } catch (Throwable e) { // whatever it is, the file must not stay this process's
      closeQuietly(channel, e);
      closeQuietly(journal, e);
      throw e;
    } finally {
      if (descriptor >= 0) {
        FileDescriptors.close(descriptor);
      }
    }
  }

  private static NoSuchFileException missing(Path file, boolean writable) throws IOException {
    Path target = target(file);
    Path folder = target.getParent();
    String subject =
        target.equals(file.toAbsolutePath()) ? "its" : "it is a link, and its target's";
    String reason =
        folder != null && Files.notExists(folder)
            ? subject + " folder does not exist: make that first"
            : writable
                ? "the file does not exist: say how many bytes a new one has"
                : "the file does not exist, and a PRIVATE mapping makes none";
    return new NoSuchFileException(file.toString(), null, reason);
  }

  /// Follows symbolic links, as many as Linux follows.
  private static Path target(Path file) throws IOException {
    Path at = file.toAbsolutePath();
    for (int links = 0; links < 40 && Files.isSymbolicLink(at); links++) {
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  /// Opens the file behind a descriptor, even if its name leads to another file by now.
  static FileChannel channel(Path path, int descriptor, boolean writable) throws IOException {
    Set<StandardOpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
            : Set.of(StandardOpenOption.READ);
    try {
      return FileChannel.open(FileDescriptors.name(descriptor), options);
    } catch (FileSystemException e) {
      throw new IOException("could not open %s: %s".formatted(path, e.getReason()), e);
    }
  }

  /// Makes a missing file if the disk has room for it. The file stays even if mapping it fails,
  /// since another process may have mapped it already.
  private static void createIfMissing(Path path, long bytes) throws IOException {
    if (Files.exists(path)) {
      return;
    }
    Path folder = path.toAbsolutePath().getParent();
    // A link may lead to another disk, whose room is looked at when the file is made longer.
    if (folder != null && Files.isDirectory(folder) && !Files.isSymbolicLink(path)) {
      requireRoom(folder, bytes, bytes);
    }
    FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
  }

  /// Makes a file at least `leastBytes` long, and returns whether it was shorter.
  private static boolean extend(Path path, int descriptor, FileChannel channel, long leastBytes)
      throws IOException {
    long before = channel.size();
    if (before >= leastBytes) {
      return false;
    }
    requireRoom(path, leastBytes - before, leastBytes);
    try {
      if (FileDescriptors.reserve(descriptor, before, leastBytes - before)) {
        return true;
      }
      for (long size = before; size < leastBytes; size = channel.size()) { // others may, too
        ByteBuffer zeros = ZEROS.duplicate();
        zeros.limit((int) Math.min(zeros.capacity(), leastBytes - size));
        int _ = channel.write(zeros, size);
      }
      return true;
    } catch (IOException e) {
      // It stays as long as it has become: others may have mapped and written what was added.
      throw new IOException(
          "no room on the disk for a file of %d bytes: %s".formatted(leastBytes, e.getMessage()),
          e);
    }
  }

  /// Refuses to fill a disk. Finding out by writing would leave every other program on that disk
  /// without room meanwhile.
  private static void requireRoom(Path place, long more, long bytes) throws IOException {
    FileStore disk = Files.getFileStore(place);
    long free = disk.getUsableSpace();
    if (more > free && disk.getTotalSpace() > 0) {
      throw new IOException(
          "no room on the disk for a file of %d bytes: %d are free".formatted(bytes, free));
    }
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable, Throwable cause) {
    try {
      if (closeable != null) {
        closeable.close();
      }
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  private FileMapping(
      Path path,
      Mapping mapping,
      FileChannel channel,
      @Nullable Journal journal,
      Pool pool,
      int descriptor)
      throws IOException {
    this.path = path;
    this.mapping = mapping;
    this.channel = channel;
    this.journal = journal;
    this.pool = pool;
    this.bytes = channel.size();
    if (bytes == 0) {
      throw new IOException(path + " is empty: give the bytes that it shall have");
    }
    boolean shared = mapping == Mapping.SHARED;
    try {
      FilePages.tryToMap(descriptor, bytes, shared);
    } catch (IOException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
    this.address = pool.takeUnits(bytes);
    if (address == 0) {
      throw new IOException("no addresses are left for the %d bytes of %s".formatted(bytes, path));
    }
    try {
      FilePages.map(descriptor, address, bytes, shared);
    } catch (IOException e) {
      pool.forgetUnits(bytes);
      throw new IOException(path + ": " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  long address() {
    return address;
  }

  long bytes() {
    return bytes;
  }

  void flush() throws IOException {
    UninterruptedWork.run(this::flushNow);
  }

  private synchronized void flushNow() throws IOException {
    if (closed) {
      throw new FreedException("a Jbuf cannot be flushed after it was freed");
    }
    Journal writer = journal;
    if (mapping != Mapping.PRIVATE && channel.size() < bytes) {
      // With the end of the file the kernel has dropped what was written to those pages.
      throw new IOException(
          "%s was cut short by another program, to %d bytes from %d: changes since the last flush are lost"
              .formatted(path, channel.size(), bytes));
    }
    switch (mapping) {
      case SHARED -> {
        FilePages.sync(address, bytes);
        channel.force(true); // its size, too
      }
      case PRIVATE ->
          throw new UnsupportedOperationException(
              "changes of a PRIVATE mapping stay in this process: map the file SHARED or DURABLE to flush it");
      case DURABLE -> {
        if (writer != null) {
          flush(writer);
        }
      }
    }
  }

  private void flush(Journal writer) throws IOException {
    writer.requireNotDeleted();
    // A flush that failed half way left pages in the journal, which are nowhere else.
    writer.apply(channel);
    int pageBytes = Math.toIntExact(FilePages.pageBytes());
    long @Nullable [] own = FilePages.ownPages(address, bytes);
    long[] pages = own == null ? differentPages(pageBytes) : own;
    if (pages.length == 0) {
      return;
    }
    writer.record(pages, address, pageBytes, bytes);
    writer.apply(channel);
    // From here on the file has what these pages have: the process's copies can go.
    for (int i = 0; i < pages.length; ) {
      int end = i + 1;
      while (end < pages.length && pages[end] == pages[end - 1] + 1) {
        end++;
      }
      Pages.discard(address + pages[i] * pageBytes, (long) (end - i) * pageBytes);
      i = end;
    }
  }

  /// Finds the pages that differ from the file's by comparing all of them.
  private long[] differentPages(int pageBytes) throws IOException {
    LongStream.Builder different = LongStream.builder();
    byte[] here = new byte[pageBytes];
    byte[] there = new byte[pageBytes];
    for (long page = 0; page * pageBytes < bytes; page++) {
      int length = (int) Math.min(pageBytes, bytes - page * pageBytes);
      MemorySegment memory = Raw.range(address + page * pageBytes, length);
      MemorySegment.ofArray(here).asSlice(0, length).copyFrom(memory);
      ByteBuffer read = ByteBuffer.wrap(there, 0, length);
      while (read.hasRemaining()) {
        if (channel.read(read, page * pageBytes + read.position()) < 0) {
          throw new IOException(path + " was cut short by another program while it was flushed");
        }
      }
      if (!Arrays.equals(here, 0, length, there, 0, length)) {
        different.add(page);
      }
    }
    return different.build().toArray();
  }

  /// Unmaps the file. Changes since the last flush are lost if the mapping is durable.
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      FilePages.unmap(address, Pool.unitBytes(bytes));
      pool.giveUnits(address, bytes, true);
    } catch (IOException e) {
      // The kernel's table of mappings is full: the range stays the file's and is not reused.
      pool.forgetUnits(bytes);
    }
    try (Journal _ = journal;
        FileChannel _ = channel) {
      // Each is closed even if closing the other fails.
    } catch (IOException e) {
      throw new UncheckedIOException("could not close " + path, e);
    }
  }
}
