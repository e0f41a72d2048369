package dev.tigris.os.disk;

import dev.tigris.os.DiskCalls;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.OpenFile;
import dev.tigris.os.Platform;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// An open file or block device of a [DiskQueue].
///
/// With [Caching#DIRECT] it has two descriptors. Whole blocks go around the page cache by the one,
/// and the ends of a transfer that are no whole blocks go through the cache by the other:
///
/// ```
///        block      block      block      block
///   |----------|==========|==========|----------|
///        ^^^^^^ cached    direct      ^^^ cached
/// ```
///
/// Two operations that are under way at a time must not write the same block. Where the file
/// system has no direct I/O, or refuses a direct transfer later, all goes through the cache.
///
/// A file of another host has none. Its host cuts transfers as it likes.
///
/// Thread rule: the thread of its queue.
public final class DiskFile implements AutoCloseable {
  /// How a file is opened.
  public enum Mode {
    /// For reading.
    READ,
    /// For reading and writing. A block device must not be in use by a file system.
    WRITE,
    /// For reading and writing; it must be new.
    MAKE
  }

  /// Whether transfers go through the page cache of the system.
  public enum Caching {
    CACHED,
    DIRECT
  }

  /// Direct transfers are multiples of this where the kernel does not say.
  static final int USUAL_BLOCK_BYTES = 4096;

  /// The most that one message to another host has.
  static final int MOST_REMOTE_BYTES = 1 << 20;

  private final DiskQueue queue;
  private final Path path;
  private final Mode mode;
  private final DiskCalls.Kind kind;
  private final @Nullable OpenFile cached;
  private final @Nullable OpenFile direct;
  private final @Nullable RemoteFile remote;
  private final int remoteDescriptor;
  private final int cachedPlace;
  private final int directPlace;
  private final int memoryAlignment;
  private final int positionAlignment;
  private final long pageBytes = FilePages.pageBytes();

  private boolean refusesDirect;
  private boolean closed;

  // The queue's account of it.
  int underWay;
  int writesUnderWay;
  long epoch;
  boolean isSyncing;
  final Queue<DiskOperation> waitingSyncs = new ArrayDeque<>();
  @Nullable DiskException failedSync;
  @Nullable DiskPace pace;

  private DiskFile(
      DiskQueue queue, Path path, Mode mode, OpenFile cached, @Nullable OpenFile direct)
      throws SystemException {
    this.queue = queue;
    this.path = path;
    this.mode = mode;
    this.cached = cached;
    this.remote = null;
    this.remoteDescriptor = 0;
    DiskCalls.Facts facts = Platform.LINUX ? DiskCalls.facts(cached.number()) : null;
    this.kind = facts == null ? DiskCalls.Kind.REGULAR : facts.kind();
    int memory = facts == null ? -1 : facts.directMemory();
    int position = facts == null ? -1 : facts.directPosition();
    boolean isImpossible = memory == 0 || position == 0;
    if (direct != null && isImpossible) {
      direct.close();
    }
    this.direct = isImpossible ? null : direct;
    this.memoryAlignment = memory > 0 ? memory : USUAL_BLOCK_BYTES;
    this.positionAlignment = position > 0 ? position : USUAL_BLOCK_BYTES;
    this.cachedPlace = queue.engine().register(cached.number());
    this.directPlace = this.direct == null ? -1 : queue.engine().register(this.direct.number());
  }

  /// A file of another host.
  DiskFile(DiskQueue queue, Path path, Mode mode, RemoteFile remote, int descriptor) {
    this.queue = queue;
    this.path = path;
    this.mode = mode;
    this.kind = DiskCalls.Kind.REGULAR;
    this.cached = null;
    this.direct = null;
    this.remote = remote;
    this.remoteDescriptor = descriptor;
    this.cachedPlace = -1;
    this.directPlace = -1;
    this.memoryAlignment = USUAL_BLOCK_BYTES;
    this.positionAlignment = USUAL_BLOCK_BYTES;
  }

  static DiskFile open(DiskQueue queue, Path path, Mode mode, Caching caching) throws IOException {
    boolean writable = mode != Mode.READ;
    boolean make = mode == Mode.MAKE;
    OpenFile cached = new OpenFile(DiskCalls.open(path, writable, make, false, false));
    OpenFile direct = null;
    try {
      if (caching == Caching.DIRECT && DiskCalls.hasDirect()) {
        direct = openDirect(cached, path, writable);
      }
      DiskFile made = new DiskFile(queue, path, mode, cached, direct);
      made.refuseMisuse();
      return made;
    } catch (Throwable e) {
      cached.close();
      if (direct != null) {
        direct.close();
      }
      throw e;
    }
  }

  /// Opens the file behind a descriptor once more, whatever its name leads to by now.
  private static @Nullable OpenFile openDirect(OpenFile cached, Path path, boolean writable)
      throws SystemException {
    Path same = Path.of("/proc/self/fd/" + cached.number());
    try {
      return new OpenFile(DiskCalls.open(same, writable, false, true, false));
    } catch (SystemException e) {
      if (e.isUnsupported() || e.error() == SystemException.INVALID) {
        return null;
      }
      throw new SystemException("open " + path + " for direct I/O", e.error());
    }
  }

  private void refuseMisuse() throws IOException {
    if (kind != DiskCalls.Kind.REGULAR && kind != DiskCalls.Kind.BLOCK_DEVICE) {
      throw new IOException(
          path + " is neither a file nor a block device: give one that has positions");
    }
    if (kind == DiskCalls.Kind.BLOCK_DEVICE && mode != Mode.READ) {
      // The kernel refuses a second owner: a mounted file system is one.
      new OpenFile(DiskCalls.open(path, true, false, false, true)).close();
    }
  }

  /// Returns its path.
  public Path path() {
    return path;
  }

  /// Returns whether whole blocks go around the page cache.
  public boolean isDirect() {
    return direct != null && !refusesDirect;
  }

  /// Returns what positions and sizes of direct transfers are multiples of.
  public int positionAlignment() {
    return positionAlignment;
  }

  /// Returns what addresses of direct transfers are multiples of.
  public int memoryAlignment() {
    return memoryAlignment;
  }

  /// Returns whether it is a block device.
  public boolean isDevice() {
    return kind == DiskCalls.Kind.BLOCK_DEVICE;
  }

  /// Returns how many bytes it has now.
  public long size() throws IOException {
    requireOpen();
    return remote == null ? FileDescriptors.size(here().number()) : remote.size();
  }

  /// Cuts or lengthens it. No operation on it is under way.
  public void resize(long bytes) throws IOException {
    requireOpen();
    requireWritable();
    requireIdle("resized");
    if (remote == null) {
      DiskCalls.resize(here().number(), bytes);
    } else {
      remote.resize(bytes);
    }
  }

  /// Gives it blocks of its own for its first bytes, and makes it so long if it is shorter. Returns
  /// false where the file system cannot do that.
  public boolean reserve(long bytes) throws IOException {
    requireOpen();
    requireWritable();
    return remote == null && FileDescriptors.reserve(here().number(), 0, bytes);
  }

  /// Returns the descriptor of a file of this host.
  private OpenFile here() {
    return Objects.requireNonNull(cached, "a file of another host has no descriptor");
  }

  /// Makes its reads and writes as slow as a disk of some rate does, from the next one on; null for
  /// as fast as it is. Its queue then has to be the host of its thread's wait.
  public void pace(@Nullable DiskPace slower) {
    requireOpen();
    pace = slower;
  }

  /// Returns why a sync of it has failed: it is not written to any more; null if none has.
  public @Nullable DiskException failedSync() {
    return failedSync;
  }

  void requireWritable() {
    if (mode == Mode.READ) {
      throw new IllegalArgumentException(path + " is open for reading only");
    }
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException(path + " was closed");
    }
  }

  boolean isOf(DiskQueue other) {
    return queue.equals(other);
  }

  private void requireIdle(String what) {
    if (underWay > 0) {
      throw new IllegalStateException(
          "%s cannot be %s while %d operations on it are under way: take them first"
              .formatted(path, what, underWay));
    }
  }

  void refuseDirect() {
    refusesDirect = true;
  }

  int descriptor(boolean isDirect) {
    OpenFile around = direct;
    if (remote != null) {
      return remoteDescriptor;
    }
    return isDirect && around != null ? around.number() : here().number();
  }

  int place(boolean isDirect) {
    return isDirect ? directPlace : cachedPlace;
  }

  /// Returns how the next bytes of a transfer go: so many around the cache, or, negated, through
  /// it.
  long piece(long position, long address, long left) {
    if (remote != null) {
      return -Math.min(left, MOST_REMOTE_BYTES);
    }
    return isDirect()
        ? Pieces.next(position, address, left, memoryAlignment, positionAlignment, pageBytes)
        : -Math.min(left, Pieces.MOST_BYTES);
  }

  /// Closes it.
  ///
  /// @throws IllegalStateException if operations on it are under way
  @Override
  public void close() {
    if (closed) {
      return;
    }
    requireIdle("closed");
    closed = true;
    queue.forget(this);
    queue.engine().unregister(cachedPlace);
    queue.engine().unregister(directPlace);
    if (cached != null) {
      cached.close();
    }
    if (direct != null) {
      direct.close();
    }
    if (remote != null) {
      remote.close();
    }
  }
}
