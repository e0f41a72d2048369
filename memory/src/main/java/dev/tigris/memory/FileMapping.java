// Over 400 lines: one mapping, from its making to the return of its addresses, and each refusal on
// the way.
package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.Raw;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.Pages;
import dev.tigris.os.ScarceException;
import dev.tigris.os.SystemException;
import dev.tigris.os.UninterruptedWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// A file that is mapped over a range of the pool, for one [Jbuf]. [FileOpening] opens it.
///
/// Thread rule: the methods that change something are synchronized. No thread writes to the
/// memory while [#flush] runs.
final class FileMapping {
  final Path path;
  final Mapping mapping;

  /// Open as long as the mapping is, if that writes to the file; -1 otherwise.
  private final int descriptor;

  private final FileBlocks blocks;
  private final @Nullable FileChannel channel;
  private final @Nullable Journal journal;
  private final Pool pool;
  private final long address;
  private final long bytes;

  /// Where in the file the memory begins: 0 but for a device.
  private final long position;

  /// Whether it is a part of a device or the like, which has no size or blocks to look after.
  private final boolean isDevice;

  /// Whether all pages have blocks on the disk that they keep.
  private final boolean isReserved;

  /// Whether the file system can reserve blocks, as far as is known.
  private boolean canReserve = true;

  /// Why no later flush can succeed, once changes may be lost.
  private @Nullable IOException lost;

  /// Written under the lock.
  private volatile boolean takenOff;

  private boolean closed;

  /// Maps what [FileOpening] has opened, and owns it from then on, the descriptor only if the
  /// mapping writes to the file.
  FileMapping(
      Path path,
      Mapping mapping,
      int opened,
      @Nullable FileChannel channel,
      @Nullable Journal journal,
      boolean isReserved,
      Pool pool)
      throws IOException {
    this(
        path,
        mapping,
        opened,
        channel,
        journal,
        isReserved,
        pool,
        0,
        FileDescriptors.size(opened),
        false);
  }

  /// Maps a part of a device that is open, and owns the descriptor from then on.
  static FileMapping ofDevice(Path path, int opened, long position, long bytes, Pool pool)
      throws IOException {
    return new FileMapping(
        path, Mapping.SHARED, opened, null, null, true, pool, position, bytes, true);
  }

  private FileMapping(
      Path path,
      Mapping mapping,
      int opened,
      @Nullable FileChannel channel,
      @Nullable Journal journal,
      boolean isReserved,
      Pool pool,
      long position,
      long bytes,
      boolean isDevice)
      throws IOException {
    this.path = path;
    this.position = position;
    this.isDevice = isDevice;
    this.mapping = mapping;
    this.descriptor = mapping.writesToFile() ? opened : -1;
    this.blocks = new FileBlocks(path, descriptor);
    this.channel = channel;
    this.journal = journal;
    this.isReserved = isReserved;
    this.pool = pool;
    this.bytes = bytes;
    boolean shared = mapping == Mapping.SHARED;
    try {
      FilePages.tryToMap(opened, position, bytes, shared);
    } catch (SystemException e) {
      throw unmappable(e);
    }
    this.address = pool.takeUnits(bytes);
    if (address == 0) {
      throw new ScarceException(
          "no addresses are left for the %d bytes of %s: free some Jbufs, or allow the process more (ulimit -v)"
              .formatted(bytes, path));
    }
    try {
      FilePages.map(opened, position, address, bytes, shared);
    } catch (IOException e) {
      pool.forgetUnits(bytes);
      throw new IOException(path + ": " + e.getMessage(), e);
    }
  }

  /// Says what a refusal of the system means for this file.
  private IOException unmappable(SystemException e) {
    if (e instanceof ScarceException) {
      return new ScarceException(path + " cannot be mapped now: " + e.getMessage());
    }
    String words =
        switch (e.error()) {
          case SystemException.NO_SUCH_DEVICE, SystemException.NOT_SUPPORTED ->
              mapping == Mapping.SHARED
                  ? "its file system cannot map files as SHARED. Map it DURABLE, or use another file system"
                  : "its file system cannot map files. Map it as SNAPSHOT, or use another file system";
          case SystemException.INVALID ->
              "its file system cannot map a file of %d bytes, or not all of it. Map it as SNAPSHOT, or use another file system"
                  .formatted(bytes);
          case SystemException.NO_ACCESS, SystemException.FORBIDDEN ->
              "its file system, or a security policy, forbids to map it as %s. Map it as SNAPSHOT"
                  .formatted(mapping);
          case SystemException.AGAIN ->
              "too much memory is locked for that, or the file has a lock that forbids it";
          default -> "the system refuses that";
        };
    return new IOException("%s: %s (%s)".formatted(path, words, e.getMessage()), e);
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
    if (takenOff) {
      throw new FreedException("a Jbuf cannot be flushed after it was freed or closed");
    }
    if (!mapping.writesToFile()) {
      throw new UnsupportedOperationException(
          "changes of a %s mapping stay in this process: map the file SHARED or DURABLE to flush it"
              .formatted(mapping));
    }
    long now = isDevice ? bytes : FileDescriptors.size(descriptor);
    if (now < bytes) {
      // With the end of the file the kernel has dropped what was written to those pages.
      throw new IOException(
          "%s was cut short by another program, to %d bytes from %d: changes since the last flush are lost"
              .formatted(path, now, bytes));
    }
    Journal writer = journal;
    FileChannel file = channel;
    if (writer == null || file == null) {
      sync();
    } else {
      FileLocks.lockForFlush(path, descriptor);
      try {
        flush(writer, file);
      } finally {
        FileDescriptors.unlock(descriptor);
      }
    }
  }

  /// Waits until what was written to a shared mapping is on the disk. After a failure the kernel
  /// takes the pages for written: asking again would find nothing wrong.
  private void sync() throws IOException {
    IOException earlier = lost;
    if (earlier != null) {
      throw new IOException(
          "an earlier flush of %s failed (%s), and changes from before it may be missing in the file: map it again, and look"
              .formatted(path, earlier.getMessage()),
          earlier);
    }
    try {
      // Before as well: what is written may give room back, since its old pages are not needed.
      boolean wasFull = !isReserved && blocks.isDiskFull();
      FilePages.sync(address, bytes);
      syncFile();
      if (wasFull || (!isReserved && blocks.isDiskFull())) {
        requireNoStoresThatNeedRoom();
      }
    } catch (IOException e) {
      lost = e;
      throw e;
    }
  }

  /// Syncs what the kernel still has, the file's size included. A device without a cache, as one of
  /// memory, has no such operation.
  private void syncFile() throws IOException {
    try {
      FileDescriptors.sync(descriptor);
    } catch (SystemException e) {
      if (!isDevice || !(e.isUnsupported() || e.error() == SystemException.INVALID)) {
        throw e;
      }
    }
  }

  /// Refuses to vouch for stores that may have found the disk full. The kernel keeps no trace of
  /// such a store, and the thread that made it knows by its [InternalError] only.
  private void requireNoStoresThatNeedRoom() throws IOException {
    if (blocks.needsMore(bytes)) {
      throw new IOException(
          "the disk of %s, or a quota, is full, and the file has pages that need more of it: stores to them fail, and may have. Make room, map the file again, and look"
              .formatted(path));
    }
  }

  private void flush(Journal writer, FileChannel file) throws IOException {
    writer.requireNotDeleted();
    // A flush that failed half way left pages in the journal, which are nowhere else.
    apply(writer, file);
    int pageBytes = Math.toIntExact(FilePages.pageBytes());
    long @Nullable [] own = FilePages.ownPages(address, bytes);
    long[] pages = own == null ? differentPages(file, pageBytes) : own;
    if (pages.length == 0) {
      return;
    }
    forEachRun(pages, pageBytes, this::reserve);
    writer.record(pages, address, pageBytes, bytes);
    apply(writer, file);
    // From here on the file has what these pages have: the process's copies can go.
    forEachRun(pages, pageBytes, (at, length) -> Pages.discard(address + at, length));
  }

  /// Something that is done with some bytes of the file, whole pages but at its end.
  private interface Part<E extends Exception> {
    void accept(long at, long length) throws E;
  }

  private <E extends Exception> void forEachRun(long[] pages, int pageBytes, Part<E> part)
      throws E {
    for (int i = 0; i < pages.length; ) {
      int end = i + 1;
      while (end < pages.length && pages[end] == pages[end - 1] + 1) {
        end++;
      }
      part.accept(pages[i] * pageBytes, (long) (end - i) * pageBytes);
      i = end;
    }
  }

  /// Gives a part of the file blocks of its own, before anything of a flush is written: the file
  /// may have a hole there, or another file may have the same blocks.
  private void reserve(long at, long length) throws IOException {
    if (!canReserve) {
      return;
    }
    try {
      canReserve = blocks.reserve(at, Math.min(length, bytes - at));
    } catch (ScarceException e) {
      throw new ScarceException(
          "%s has holes, or shares blocks with other files, and the disk or a quota has no room for them (%s), so nothing was flushed. The mapping keeps its changes: make room, and flush again"
              .formatted(path, e.getMessage()));
    }
  }

  /// Writes to the file what the journal has.
  private void apply(Journal writer, FileChannel file) throws IOException {
    try {
      boolean _ = writer.apply(file);
    } catch (SystemException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException(
          "%s could not be written (%s). Its journal has the whole flush: remove the cause, and flush again or map the file DURABLE"
              .formatted(path, e.getMessage()),
          e);
    }
  }

  /// Finds the pages that differ from the file's by comparing all of them.
  private long[] differentPages(FileChannel file, int pageBytes) throws IOException {
    LongStream.Builder different = LongStream.builder();
    byte[] here = new byte[pageBytes];
    byte[] there = new byte[pageBytes];
    for (long page = 0; page * pageBytes < bytes; page++) {
      int length = (int) Math.min(pageBytes, bytes - page * pageBytes);
      MemorySegment memory = Raw.range(address + page * pageBytes, length);
      MemorySegment.ofArray(here).asSlice(0, length).copyFrom(memory);
      ByteBuffer read = ByteBuffer.wrap(there, 0, length);
      while (read.hasRemaining()) {
        if (file.read(read, page * pageBytes + read.position()) < 0) {
          throw new IOException(path + " was cut short by another program while it was flushed");
        }
      }
      if (!Arrays.equals(here, 0, length, there, 0, length)) {
        different.add(page);
      }
    }
    return different.build().toArray();
  }

  /// Says what an [InternalError] of an access means, which HotSpot makes of a page that is not
  /// there.
  String explainFault() {
    if (isDevice) {
      return "a page of %s could not be had: the device has failed, was removed or cut short"
          .formatted(path);
    }
    try {
      long now = Files.size(path);
      if (now < bytes) {
        return "%s was cut short by another program, to %d bytes from %d"
            .formatted(path, now, bytes);
      }
    } catch (IOException e) {
      return "%s is gone, or its disk is: %s".formatted(path, e);
    }
    return "a page of %s could not be read or made. Its disk or the server behind it failed (see the kernel's log). Or the disk is full and the file has holes, or another program cut the file short"
        .formatted(path);
  }

  /// Whether it was taken off its addresses.
  boolean isTakenOff() {
    return takenOff;
  }

  /// Whether the file has become longer than what is mapped.
  boolean isOutgrown() {
    try {
      return !takenOff && !isDevice && mapping == Mapping.SHARED && Files.size(path) > bytes;
    } catch (IOException e) {
      return false;
    }
  }

  /// Takes the file off its addresses, unlocks and closes it. No store reaches it afterwards:
  /// private pages lie there, which read as zeros. Changes since the last flush are lost if the
  /// mapping is durable.
  ///
  /// @throws UncheckedIOException if it could not be taken off: it is mapped, locked and open as
  ///     before, and this can be tried again. Or if it could not be closed.
  synchronized void takeOff() {
    if (takenOff || closed) {
      return;
    }
    try {
      FilePages.unmap(address, Pool.unitBytes(bytes));
    } catch (IOException e) {
      // The kernel's table of mappings is full, or another limit is reached.
      layAgain(e);
      throw new UncheckedIOException(
          "could not close %s (%s), and it is mapped as before: give mappings back, and close it again"
              .formatted(path, e.getMessage()),
          e);
    }
    takenOff = true;
    closeFiles();
  }

  /// Lays a file that could not be taken off over its range again, if it is [Mapping#SHARED]. With
  /// `vm.overcommit_memory` 2, Linux before 6.12 takes the file away before it finds that no memory
  /// may take its place. In place of a private mapping, memory counts no more than that did.
  private void layAgain(IOException cause) {
    if (mapping == Mapping.SHARED) {
      try {
        FilePages.mapAgain(descriptor, position, address, bytes, Pool.unitBytes(bytes));
      } catch (IOException e) {
        cause.addSuppressed(e);
        throw new UncheckedIOException(
            "could not close %s (%s), and it is not mapped as before: touch it no more, end this process"
                .formatted(path, cause.getMessage()),
            cause);
      }
    }
  }

  private void closeFiles() {
    try (Journal _ = journal;
        FileChannel _ = channel) {
      // Each is closed even if closing the other fails.
    } catch (IOException e) {
      throw new UncheckedIOException("could not close " + path, e);
    } finally {
      if (descriptor >= 0) {
        FileDescriptors.close(descriptor);
      }
    }
  }

  /// Gives the addresses back, when no access can come any more.
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!takenOff) {
        takenOff = true;
        closeFiles();
      }
    } finally {
      giveAddresses();
    }
  }

  private void giveAddresses() {
    try {
      // Again, for what was stored since it was taken off.
      FilePages.unmap(address, Pool.unitBytes(bytes));
      pool.giveUnits(address, bytes, true);
    } catch (IOException e) {
      // The kernel's table of mappings is full: the range stays the file's and is not reused.
      pool.forgetUnits(bytes);
    }
  }
}
