package dev.tigris.os.disk;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One read, write or sync. It can be used again and again, and then makes no object.
///
/// ```
///            toRead, toWrite, toSync            start                   take
///   IDLE ------------------------------> READY -------> UNDER_WAY ... DONE -----> IDLE
/// ```
///
/// **The buffer.** From `start` until `take` returns the operation, the memory is the kernel's: no
/// one else reads or writes it. The queue holds the segment and what keeps its memory alive for
/// that long. It cannot keep an arena open. So the memory is of an automatic or the global arena,
/// or stays allocated until then because of the *keeper*, such as the view of a Jbuf.
///
/// Thread rule: the thread of its queue.
public final class DiskOperation {
  /// Reads, writes, or waits until what was written is on the disk.
  public enum Kind {
    READ,
    WRITE,
    SYNC
  }

  enum State {
    IDLE,
    READY,
    UNDER_WAY,
    DONE
  }

  private Kind kind = Kind.SYNC;
  private @Nullable DiskFile file;
  private long position;
  private MemorySegment memory = MemorySegment.NULL;
  private @Nullable Object keeper;
  private long transferred;
  private @Nullable DiskException failure;

  /// The progress of its reader.
  double progress;

  State state = State.IDLE;

  /// Its slot while it is under way.
  int slot;

  /// How many syncs of its file were started before it.
  long epoch;

  /// Of a sync, how many writes that were started before it are under way.
  int awaited;

  /// Whether the piece that is under way goes around the page cache, and how many bytes it has.
  boolean isPieceDirect;

  long pieceBytes;

  /// When its tokens are there, if its file has a pace.
  long dueNanos;

  boolean isHeld;

  /// Makes one, for nothing yet.
  public DiskOperation() {}

  /// Prepares a read to all of a segment.
  public DiskOperation toRead(DiskFile from, long position, MemorySegment to) {
    return prepare(Kind.READ, from, position, to);
  }

  /// Prepares a write of all of a segment.
  ///
  /// @throws IllegalArgumentException if the file is open for reading only
  public DiskOperation toWrite(DiskFile to, long position, MemorySegment from) {
    to.requireWritable();
    return prepare(Kind.WRITE, to, position, from);
  }

  /// Prepares a sync: it ends when all writes of the file that were started before it, and the
  /// file's size, are on the disk. Writes that have failed are not among them.
  public DiskOperation toSync(DiskFile of) {
    of.requireWritable();
    return prepare(Kind.SYNC, of, 0, MemorySegment.NULL);
  }

  private DiskOperation prepare(Kind what, DiskFile on, long at, MemorySegment segment) {
    if (state == State.UNDER_WAY || state == State.DONE) {
      throw new IllegalStateException(
          "an operation on %s is under way: take it first".formatted(requireFile().path()));
    }
    if (at < 0) {
      throw new IllegalArgumentException(
          "position %d of %s: a position is 0 or more".formatted(at, on.path()));
    }
    if (!segment.isNative()) {
      throw new IllegalArgumentException("a disk reads and writes memory outside the heap only");
    }
    kind = what;
    file = on;
    position = at;
    memory = segment;
    keeper = null;
    progress = 0;
    transferred = 0;
    failure = null;
    state = State.READY;
    return this;
  }

  /// Names an object that keeps the memory allocated, and is reachable until the operation is
  /// taken.
  public DiskOperation keeping(Object object) {
    keeper = Objects.requireNonNull(object);
    return this;
  }

  /// Says the progress of its reader. The disk of another host serves the reader that is furthest
  /// behind, of whatever process.
  public DiskOperation at(double readersProgress) {
    progress = readersProgress;
    return this;
  }

  /// Returns what it does.
  public Kind kind() {
    return kind;
  }

  /// Returns its file; null before it has one.
  public @Nullable DiskFile file() {
    return file;
  }

  DiskFile requireFile() {
    return Objects.requireNonNull(file, "an operation without a file");
  }

  /// Returns where it begins.
  public long position() {
    return position;
  }

  /// Returns its memory.
  public MemorySegment memory() {
    return memory;
  }

  /// Returns what was given to [#keeping].
  public @Nullable Object keeper() {
    return keeper;
  }

  /// Returns how many bytes were transferred: all of them, or fewer if a read has met the end of
  /// the file or the operation has failed.
  public long transferred() {
    return transferred;
  }

  /// Returns why it failed; null if it did not.
  public @Nullable DiskException failure() {
    return failure;
  }

  /// Throws its failure, if it has one.
  public DiskOperation orThrow() throws DiskException {
    if (failure != null) {
      throw failure;
    }
    return this;
  }

  void advance(long bytes) {
    transferred += bytes;
  }

  void fail(DiskException cause) {
    failure = cause;
  }

  long left() {
    return memory.byteSize() - transferred;
  }

  /// Returns the next bytes of its memory.
  MemorySegment part(long bytes) {
    return transferred == 0 && bytes == memory.byteSize()
        ? memory
        : memory.asSlice(transferred, bytes);
  }
}
