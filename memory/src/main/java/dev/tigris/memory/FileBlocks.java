package dev.tigris.memory;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FileExtents;
import dev.tigris.os.FilePages;
import dev.tigris.os.ScarceException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/// The blocks that an open file has on its disk. A store to a mapped page that has none may find
/// the disk full: that would be an [InternalError] of the thread that stores, or the end of the
/// JVM.
///
/// Thread rule: any thread.
///
/// @param path its name, for messages
record FileBlocks(Path path, int descriptor) {
  /// File systems that write each page to a new place: a block of its own is none for the next
  /// version of the page.
  private static final Set<String> COPYING = Set.of("btrfs", "zfs", "bcachefs");

  /// Gives all of the file blocks of its own, so that no store finds the disk full. Returns false
  /// where the file system cannot do that, or where it does not help.
  ///
  /// @throws IOException if the disk has no room for what is missing
  boolean reserveAll() throws IOException {
    long bytes = FileDescriptors.size(descriptor);
    boolean copies = copies();
    if (!copies) {
      long missing = missing(bytes);
      if (missing == 0 && own(bytes) == bytes) {
        return true; // XFS wants room for what it has blocks for, too
      }
      // Finding out by reserving would leave every other program without room.
      long free = free(path);
      if (missing > free) {
        throw noRoom(bytes, missing, free);
      }
    }
    try {
      if (FileDescriptors.reserveOwn(descriptor, 0, bytes)) {
        return !copies;
      }
    } catch (ScarceException e) {
      throw noRoom(bytes, missing(bytes), free(path));
    }
    if (hasHoles(bytes)) {
      System.getLogger(Jbuf.class.getPackageName())
          .log(
              System.Logger.Level.WARNING,
              "{0} has holes, which its file system cannot give blocks to: on a full disk a store"
                  + " to one fails, with an InternalError or the end of the JVM. Map it DURABLE, or"
                  + " copy it without holes",
              path);
    }
    return false;
  }

  /// Gives a part of the file blocks of its own. It may have a hole there, or other files may have
  /// the same blocks.
  ///
  /// @return false if the file system cannot do that
  /// @throws ScarceException if the disk has no room for that
  boolean reserve(long at, long length) throws IOException {
    try {
      return FileDescriptors.reserveOwn(descriptor, at, length);
    } catch (ScarceException e) {
      if (FileExtents.ownBytes(descriptor, at, length) == length) {
        return true; // as above
      }
      throw e;
    }
  }

  /// How many of its first bytes have blocks of its own; -1 if the system does not say.
  private long own(long bytes) {
    return FileExtents.ownBytes(descriptor, 0, bytes);
  }

  /// How many of its first bytes have none, as far as the system says.
  private long missing(long bytes) throws IOException {
    long own = own(bytes);
    long known = own < 0 ? FileDescriptors.allocatedBytes(descriptor) : own;
    return known < 0 ? 0 : Math.max(0, bytes - known);
  }

  /// Whether it has pages that more of the disk is needed for, as far as the system says.
  boolean needsMore(long bytes) throws IOException {
    return copies() || hasHoles(bytes);
  }

  private boolean hasHoles(long bytes) throws IOException {
    long allocated = FileDescriptors.allocatedBytes(descriptor);
    return allocated >= 0 && allocated < bytes;
  }

  private ScarceException noRoom(long bytes, long missing, long free) {
    return new ScarceException(
        "%s has holes, or shares blocks with other files, and the disk or a quota has no room for them. %d of its %d bytes have no blocks of their own, and %d bytes of the disk are free. Make room, or map it PRIVATE or as SNAPSHOT"
            .formatted(path, missing, bytes, free));
  }

  private boolean copies() throws IOException {
    return COPYING.contains(Files.getFileStore(path).type());
  }

  /// Whether no page more can be written. What a file system says of its room is an estimate, and
  /// knows of no quota. The quota is that of the folder: that of a file which is mounted alone, as
  /// containers do, is not known.
  boolean isDiskFull() {
    try {
      Path folder = path.getParent();
      return free(path) < FilePages.pageBytes()
          || (folder != null && !FileDescriptors.isRoomFor(folder, FilePages.pageBytes()));
    } catch (IOException e) {
      return false; // not known to be
    }
  }

  /// How many bytes of a disk are free; the most there can be where it does not say.
  static long free(Path place) throws IOException {
    FileStore disk = Files.getFileStore(place);
    return disk.getTotalSpace() > 0 ? disk.getUsableSpace() : Long.MAX_VALUE;
  }

  /// Refuses to fill a disk. Finding out by writing would leave every other program on that disk
  /// without room meanwhile.
  static void requireRoom(Path place, long more, long bytes) throws IOException {
    long free = free(place);
    if (more > free) {
      throw new IOException(
          "no room on the disk for a file of %d bytes: %d are free".formatted(bytes, free));
    }
  }
}
