// Over 400 lines: what a journal consists of, and whose it is, which its channel and lock decide.
package dev.tigris.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tigris.memory.raw.Raw;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePermissions;
import dev.tigris.os.Folders;
import dev.tigris.os.SystemException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Makes the change of many pages of a file one change: the pages are written to the journal first,
/// and to the file when the journal is on the disk. A process that finds a complete journal writes
/// its pages to the file, possibly again. An incomplete journal means that nothing was written to
/// the file yet.
///
/// ```
///   offset   size
///        0      8   magic "TIGRISJ1"
///        8      8   bytes of a page, p
///       16      8   number of pages, n
///       24      8   bytes of the file
///       32      8   CRC-32C of the 32 bytes above and of the index
///       40   16 n   index, by rising page number: page number, CRC-32C of the page
///            p  n   the pages
/// ```
///
/// A journal with nothing but a magic records nothing. An empty one says that its maker may have
/// died before the folder was synced. A journal is never deleted, so that all processes lock the
/// same file. The holder of the lock owns the journal and its file.
///
/// Thread rule: one thread at a time.
final class Journal implements Closeable {
  private static final long MAGIC = 0x314a_5349_5247_4954L; // "TIGRISJ1" read as little-endian
  private static final int IDLE_BYTES = 8;
  private static final int HEADER_BYTES = 40;
  private static final int SUMMED_BYTES = 32;
  private static final int ENTRY_BYTES = 16;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final long MAX_PAGE_BYTES = CHUNK_BYTES;

  /// The smallest page of any system, which bounds the index by the length of the journal.
  private static final long MIN_PAGE_BYTES = 4096;

  /// The longest name on most file systems, in bytes.
  private static final int MOST_NAME_BYTES = 255;

  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  /// The most pages of a record, whose header and index are one buffer.
  private static final int MAX_PAGES = (Integer.MAX_VALUE - HEADER_BYTES) / ENTRY_BYTES;

  private final Path path;

  /// Holds the lock as long as it is open. A lock of [FileChannel#lock] would be the process's, and
  /// be gone when any part of the process closes the file.
  private final int descriptor;

  private final FileChannel channel;

  /// Buffers pages, and is empty until then, since a process may own many files.
  private ByteBuffer chunk = ByteBuffer.allocate(0);

  /// Whether this process has just made it.
  private boolean isFresh;

  private boolean closed;

  private Journal(Path path, int descriptor, FileChannel channel) {
    this.path = path;
    this.descriptor = descriptor;
    this.channel = channel;
  }

  private ByteBuffer chunk(int bytes) {
    if (chunk.capacity() < bytes) {
      // At least doubled: each that is given up is taken until a collection.
      chunk = little(Math.max(bytes, Math.min(CHUNK_BYTES, 2 * chunk.capacity())));
    }
    return chunk;
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static Path pathFor(Path file) {
    return file.resolveSibling(file.getFileName() + ".journal");
  }

  /// Refuses a file whose name leaves no room for that of its journal.
  static void requireRoomFor(Path file) throws IOException {
    if (!canBeFor(file)) {
      throw new IOException(
          file
              + " can have no journal, because its name is too long: give it one of at most 247 bytes");
    }
  }

  /// Returns whether a file's name leaves room for that of its journal. A file with a longer name
  /// has none.
  private static boolean canBeFor(Path file) {
    Path name = file.getFileName();
    return name == null || pathFor(name).toString().getBytes(UTF_8).length <= MOST_NAME_BYTES;
  }

  /// Opens the journal of a file, which is made if it is missing, and becomes its owner.
  ///
  /// @throws IOException if another mapping owns the file
  static Journal own(Path file) throws IOException {
    requireRoomFor(file);
    Path path = pathFor(file);
    boolean fresh = identity(path) == null;
    if (fresh) {
      make(file, path);
    }
    Journal journal = locked(file, true);
    journal.isFresh = fresh;
    try {
      if (journal.channel.size() == 0) { // its maker may have died before either
        copyPermissions(file, path, fresh);
        syncFolder(path); // in which the file may be as new
        journal.becomeIdle();
      }
      return journal;
    } catch (Throwable e) { // whatever it is, the file must not stay owned
      try (journal) {
        journal.deleteIfFresh();
        throw e;
      }
    }
  }

  /// Deletes a journal that was made in vain. Others that wait for its lock see that it is gone.
  void deleteIfFresh() throws IOException {
    if (isFresh) {
      Files.deleteIfExists(path);
    }
  }

  private static void make(Path file, Path path) throws IOException {
    try {
      FileChannel.open(path, NEW, FilePermissions.of(file)).close();
    } catch (AccessDeniedException e) {
      throw new IOException(
          "%s needs a file %s beside it to be mapped DURABLE or converted, and this user may not make files in that folder: change the rights of the folder"
              .formatted(file, path.getFileName()),
          e);
    }
  }

  private static void copyPermissions(Path file, Path path, boolean fresh) throws IOException {
    try {
      FilePermissions.copy(file, path);
    } catch (IOException e) {
      if (fresh) {
        throw e;
      } // else it may belong to another user
    }
  }

  /// Identifies the file that a name leads to now, or returns null if there is none.
  ///
  /// @throws IOException if it is not a regular file: a user who may write to the folder could make
  ///     this process wait for a pipe, or empty another file through a link
  private static @Nullable Object identity(Path path) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!attributes.isRegularFile()) {
        throw new IOException(path + " is not a regular file, and so not a journal: delete it");
      }
      return attributes.fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /// Checks that no mapping owns a file at the moment, and that no flush of it was interrupted.
  ///
  /// @throws IOException if the file is owned or a flush has to be completed
  static void requireNone(Path file) throws IOException {
    if (!canBeFor(file) || identity(pathFor(file)) == null) {
      return;
    }
    try (Journal journal = locked(file, false)) {
      if (journal.channel.size() > 0 && journal.completeHead() != null) {
        throw new IOException(
            "a flush of " + file + " was interrupted: map it DURABLE once to complete it");
      }
    }
  }

  /// Opens the journal of a file and locks it: to own the file or, if not `writable`, to see that
  /// no mapping does.
  private static Journal locked(Path file, boolean writable) throws IOException {
    int descriptor = FileDescriptors.open(pathFor(file), writable);
    try {
      lock(file, descriptor, !writable);
      return opened(file, descriptor, writable);
    } catch (Throwable e) {
      FileDescriptors.close(descriptor);
      throw e;
    }
  }

  /// Makes sure that a descriptor is that of the journal, and takes it over.
  private static Journal opened(Path file, int descriptor, boolean writable) throws IOException {
    Path path = pathFor(file);
    Path opened = FileDescriptors.name(descriptor);
    Object key = Files.readAttributes(opened, BasicFileAttributes.class).fileKey();
    if (!Objects.equals(key, identity(path))) { // a link was followed, or it has no name
      throw new IOException(path + " was deleted or replaced while it was opened: try again");
    }
    return new Journal(path, descriptor, FileOpening.channel(path, descriptor, writable));
  }

  /// Locks a journal, and waits a little for that: other mappings lock it for a moment to look for
  /// an owner, or to convert the file. A mapping of this process may own it that was dropped: the
  /// collector is asked for it.
  private static void lock(Path file, int descriptor, boolean shared) throws IOException {
    boolean isOwnedHere = Budget.PROCESS.owns(file);
    if (isOwnedHere && !FileLocks.tryToLock(descriptor, shared)) {
      boolean _ = Budget.PROCESS.awaitMapping();
    }
    try {
      boolean locked =
          shared
              ? FileLocks.lock(descriptor, true, FileLocks.SHORT_NANOS)
              : FileLocks.await(descriptor, false, FileLocks.SHORT_NANOS);
      if (!locked) {
        throw new IOException(
            "%s is locked: %s has it mapped as DURABLE or is converting it. Close it there, or retry"
                .formatted(file, isOwnedHere ? "this process" : "this or another process"));
      }
    } catch (SystemException e) {
      throw new IOException(
          "%s cannot be mapped DURABLE or converted, because its file system has no locks: map it SHARED, or put it on another disk (%s)"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /// Syncs the folder of a file. The name of a new file is on the disk when its folder is, or,
  /// where the file system cannot sync a folder, when that likes.
  static void syncFolder(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      boolean _ = Folders.sync(folder, file);
    }
  }

  /// Writes the pages of a flush that was recorded and not completed over a copy of the file's
  /// bytes, as [#apply] does over the file.
  ///
  /// @param address of the copy
  /// @throws IOException if the journal cannot be read
  static void overlay(Path file, long address, long bytes) throws IOException {
    if (!canBeFor(file) || identity(pathFor(file)) == null || !mayHaveRecord(file)) {
      return;
    }
    int descriptor = FileDescriptors.open(pathFor(file), false);
    Journal opened;
    try {
      opened = opened(file, descriptor, false);
    } catch (Throwable e) {
      FileDescriptors.close(descriptor);
      throw e;
    }
    try (Journal journal = opened) {
      ByteBuffer head = journal.completeHead();
      for (int i = 0; head != null && i < count(head); i++) {
        int pageBytes = (int) head.getLong(8);
        ByteBuffer page = journal.page(head, i, pageBytes);
        if (page == null) {
          throw new IOException(journal.path + " changed while it was read");
        }
        long at = head.getLong(HEADER_BYTES + ENTRY_BYTES * i) * pageBytes;
        long length = Math.min(pageBytes, bytes - at);
        if (length > 0) {
          Raw.range(address + at, length)
              .copyFrom(MemorySegment.ofBuffer(page.limit((int) length)));
        }
      }
    }
  }

  /// Whether it may record something.
  boolean hasRecord() throws IOException {
    return channel.size() > IDLE_BYTES;
  }

  /// Records pages and returns when the record is on the disk.
  ///
  /// @param pages their numbers, rising
  /// @param address of page 0
  /// @throws IOException if the record cannot be written, or has more pages than an index can hold;
  ///     a part that was written is discarded
  void record(long[] pages, long address, int pageBytes, long fileBytes) throws IOException {
    if (pages.length > MAX_PAGES) {
      throw new IOException(
          "%d pages were written to since the last flush, and a flush takes at most %d: nothing was flushed, flush more often"
              .formatted(pages.length, MAX_PAGES));
    }
    try {
      write(pages, address, pageBytes, fileBytes);
    } catch (IOException e) {
      if (!channel.isOpen()) {
        throw e; // interrupted
      }
      try {
        clear(); // it may fill the disk, and it may be complete
      } catch (IOException alsoBad) {
        e.addSuppressed(alsoBad);
      }
      throw new IOException(
          "%s could not be written (%s), so nothing was flushed: the mapping keeps its changes, remove the cause and flush again"
              .formatted(path, e.getMessage()),
          e);
    }
  }

  private void write(long[] pages, long address, int pageBytes, long fileBytes) throws IOException {
    ByteBuffer head = little(HEADER_BYTES + ENTRY_BYTES * pages.length);
    head.putLong(MAGIC).putLong(pageBytes).putLong(pages.length).putLong(fileBytes).putLong(0);
    long at = head.capacity();
    int perChunk = Math.min(CHUNK_BYTES / pageBytes, pages.length);
    ByteBuffer copies = chunk(perChunk * pageBytes);
    for (int first = 0; first < pages.length; first += perChunk) {
      int count = Math.min(perChunk, pages.length - first);
      for (int i = 0; i < count; i++) {
        // A copy: another thread may write to the page, or another process cut the file.
        MemorySegment page = Raw.range(address + pages[first + i] * pageBytes, pageBytes);
        ByteBuffer copy = copies.slice(i * pageBytes, pageBytes);
        MemorySegment.ofBuffer(copy).copyFrom(page);
        head.putLong(pages[first + i]).putLong(sum(copy));
      }
      at += write(channel, copies.slice(0, count * pageBytes), at);
    }
    head.putLong(SUMMED_BYTES, headSum(head));
    write(channel, head.flip(), 0);
    channel.force(true);
  }

  private static long headSum(ByteBuffer head) {
    CRC32C sum = new CRC32C();
    sum.update(head.slice(0, SUMMED_BYTES));
    sum.update(head.slice(HEADER_BYTES, head.capacity() - HEADER_BYTES));
    return sum.getValue();
  }

  private static long sum(ByteBuffer bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes.duplicate());
    return sum.getValue();
  }

  private static int write(FileChannel to, ByteBuffer bytes, long at) throws IOException {
    int written = 0;
    while (bytes.hasRemaining()) {
      written += to.write(bytes, at + written);
    }
    return written;
  }

  /// Writes the recorded pages to the file, if the record is complete, and empties the journal when
  /// they are on the disk.
  ///
  /// @return whether the journal had a complete record
  /// @throws IOException if the file is shorter than when it was recorded
  boolean apply(FileChannel file) throws IOException {
    if (!hasRecord()) {
      return false;
    }
    ByteBuffer head = completeHead();
    if (head == null) {
      clear();
      return false;
    }
    long fileBytes = head.getLong(24);
    if (file.size() < fileBytes) {
      throw new IOException(
          ("a flush was interrupted, and the file has %d bytes now instead of %d: put it back, or"
                  + " delete %s to discard that flush")
              .formatted(file.size(), fileBytes, path));
    }
    int pageBytes = (int) head.getLong(8);
    for (int i = 0; i < count(head); i++) {
      ByteBuffer page = page(head, i, pageBytes);
      if (page == null) {
        throw new IOException(path + " changed while it was read");
      }
      long at = head.getLong(HEADER_BYTES + ENTRY_BYTES * i) * pageBytes;
      write(file, page.limit((int) Math.min(pageBytes, fileBytes - at)), at);
    }
    file.force(true);
    clear();
    return true;
  }

  /// Refuses a journal whose file was deleted. After a crash no process could find its record, and
  /// another process may own the file by a new journal.
  void requireNotDeleted() throws IOException {
    if ((int) Files.getAttribute(FileDescriptors.name(descriptor), "unix:nlink") == 0) {
      throw new IOException(
          path
              + " was deleted while its file was mapped, so no flush could be completed after a crash, and another process may own the file: nothing was flushed. Copy the data and map the file again");
    }
  }

  /// Returns whether the journal of a file holds more than a mapping leaves that ended in order, or
  /// is a link, a pipe or the like, of which that cannot be said.
  static boolean mayHaveRecord(Path file) throws IOException {
    try {
      if (!canBeFor(file)) {
        return false;
      }
      BasicFileAttributes journal =
          Files.readAttributes(pathFor(file), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return !journal.isRegularFile() || journal.size() > IDLE_BYTES;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static int count(ByteBuffer head) {
    return (head.capacity() - HEADER_BYTES) / ENTRY_BYTES;
  }

  /// Returns header and index if they and all the pages are intact, or null otherwise.
  private @Nullable ByteBuffer completeHead() throws IOException {
    ByteBuffer start = little(HEADER_BYTES);
    if (!readFully(start, 0) || start.getLong(0) != MAGIC) {
      return null;
    }
    long pageBytes = start.getLong(8);
    long pages = start.getLong(16);
    long fileBytes = start.getLong(24);
    boolean sizesFit =
        fileBytes > 0
            && pageBytes >= MIN_PAGE_BYTES
            && pageBytes <= MAX_PAGE_BYTES
            && pages > 0
            && pages <= (channel.size() - HEADER_BYTES) / (ENTRY_BYTES + pageBytes)
            && pages <= MAX_PAGES;
    if (!sizesFit) {
      return null;
    }
    // The checked copy is used, since another process may write to the journal meanwhile.
    ByteBuffer head = little((int) (HEADER_BYTES + ENTRY_BYTES * pages)).put(start);
    if (!readFully(head, 0) || head.getLong(SUMMED_BYTES) != headSum(head)) {
      return null;
    }
    for (int i = 0; i < pages; i++) {
      long number = head.getLong(HEADER_BYTES + ENTRY_BYTES * i);
      boolean isInFile = number >= 0 && number <= (fileBytes - 1) / pageBytes;
      if (!isInFile || page(head, i, (int) pageBytes) == null) {
        return null;
      }
    }
    return head;
  }

  /// Returns the bytes of a recorded page, or null if they are damaged.
  private @Nullable ByteBuffer page(ByteBuffer head, int index, int pageBytes) throws IOException {
    ByteBuffer page = chunk(pageBytes).slice(0, pageBytes);
    long at = head.capacity() + (long) index * pageBytes;
    boolean isIntact =
        readFully(page, at)
            && sum(page) == head.getLong(HEADER_BYTES + ENTRY_BYTES * index + Long.BYTES);
    return isIntact ? page : null;
  }

  /// Fills the buffer and flips it for reading; returns false if the journal ends before.
  private boolean readFully(ByteBuffer into, long at) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into, at + into.position()) < 0) {
        return false;
      }
    }
    into.flip();
    return true;
  }

  /// Notes for the next owner that the folder was synced.
  private void becomeIdle() throws IOException {
    try {
      write(channel, little(IDLE_BYTES).putLong(MAGIC).flip(), 0);
    } catch (IOException e) {
      if (!channel.isOpen()) {
        throw e;
      } // else the disk is full: the next owner syncs the folder again
    }
  }

  private void clear() throws IOException {
    channel.truncate(IDLE_BYTES);
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        channel.close();
      } finally {
        FileDescriptors.close(descriptor);
      }
    }
  }
}
