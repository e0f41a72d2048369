package dev.tigris.net.libfabric.raw;

import static dev.tigris.net.libfabric.raw.Functions.notCalled;

import dev.tigris.net.libfabric.raw.Layout.Constant;
import dev.tigris.net.libfabric.raw.Layout.Field;
import dev.tigris.net.libfabric.raw.Layout.Size;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Where operations come back when they are complete (`fid_cq`). It allocates nothing.
///
/// Operations are numbers of the application's: the contexts that it passes.
public final class Completions extends Fid {
  /// The most that are handed over at a time.
  public static final int BATCH = 16;

  private final MemorySegment read;
  private final MemorySegment readOrWait;
  private final MemorySegment readError;
  private final MemorySegment entries =
      Arena.ofAuto().allocate((long) BATCH * Size.FI_CQ_MSG_ENTRY.bytes, Long.BYTES);
  private final MemorySegment error =
      Arena.ofAuto().allocate(Size.FI_CQ_ERR_ENTRY.bytes, Long.BYTES);

  /// A receiver of completions.
  public interface Taker {
    /// Takes one.
    ///
    /// @param operation the context
    /// @param bytes of a receive: how many have arrived
    /// @param failure 0, or what went wrong
    void completed(long operation, long bytes, int failure);
  }

  private Completions(Library library, long address) {
    super(library, address);
    this.read = function(Slot.FID_CQ__OPS, Slot.FI_OPS_CQ__READ);
    this.readOrWait = function(Slot.FID_CQ__OPS, Slot.FI_OPS_CQ__SREAD);
    this.readError = function(Slot.FID_CQ__OPS, Slot.FI_OPS_CQ__READERR);
  }

  /// Opens a queue for at least `size` operations; with something to wait for, if there is such.
  public static Completions open(Device device, long size) throws LibfabricException {
    try {
      return open(device, size, Constant.FI_WAIT_FD);
    } catch (LibfabricException e) {
      if (e.error() != Constant.FI_ENOSYS.number()) {
        throw e;
      }
      return open(device, size, Constant.FI_WAIT_NONE);
    }
  }

  private static Completions open(Device device, long size, Constant wait)
      throws LibfabricException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(Size.FI_CQ_ATTR.bytes, Long.BYTES);
      attributes.set(ValueLayout.JAVA_LONG, Field.FI_CQ_ATTR__SIZE.offset, size);
      attributes.set(
          ValueLayout.JAVA_INT,
          Field.FI_CQ_ATTR__FORMAT.offset,
          Constant.FI_CQ_FORMAT_MSG.number());
      attributes.set(ValueLayout.JAVA_INT, Field.FI_CQ_ATTR__WAIT_OBJ.offset, wait.number());
      long address =
          device.open("open a completion queue", Slot.FI_OPS_DOMAIN__CQ_OPEN, attributes.address());
      return new Completions(device.library, address);
    }
  }

  /// The file descriptor to wait for; -1 if there is none.
  public int file() {
    return waitFile();
  }

  /// Moves what can be moved, and hands over some of what is complete.
  ///
  /// @return how many: fewer than [#BATCH] when there was no more of those that have failed, or of
  ///     those that have not
  public int take(Taker taker) {
    long count;
    try {
      count = (long) Functions.READ.invokeExact(read, address(), entries.address(), (long) BATCH);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    return taken(count, taker);
  }

  /// Takes completions, and waits for one in the library if there is none, for at most `millis`.
  ///
  /// @return whether there was something
  public boolean await(Taker taker, int millis) {
    long count;
    try {
      count =
          (long)
              Functions.SREAD.invokeExact(
                  readOrWait, address(), entries.address(), (long) BATCH, 0L, millis);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    return count != -Constant.FI_ENOSYS.value && taken(count, taker) > 0;
  }

  private int taken(long count, Taker taker) {
    if (count > 0) {
      for (int i = 0; i < count; i++) {
        long at = (long) i * Size.FI_CQ_MSG_ENTRY.bytes;
        taker.completed(
            entries.get(ValueLayout.JAVA_LONG, at + Field.FI_CQ_MSG_ENTRY__OP_CONTEXT.offset),
            entries.get(ValueLayout.JAVA_LONG, at + Field.FI_CQ_MSG_ENTRY__LEN.offset),
            0);
      }
      return (int) count;
    }
    if (count == -Constant.FI_EAVAIL.value) {
      int failed = 0;
      while (failed < BATCH && takeError(taker)) {
        failed++;
      }
      return Math.max(1, failed); // there was something
    }
    if (count == 0 || count == -Constant.FI_EAGAIN.value || count == -Constant.FI_EINTR.value) {
      return 0;
    }
    throw new IllegalStateException(
        "the completion queue of libfabric failed: " + library.describe((int) -count));
  }

  /// Returns whether there was one.
  private boolean takeError(Taker taker) {
    error.fill((byte) 0);
    long count;
    try {
      count = (long) Functions.READ.invokeExact(readError, address(), error.address(), 0L);
    } catch (Throwable e) {
      throw notCalled(e);
    }
    if (count <= 0) {
      return false;
    }
    taker.completed(
        error.get(ValueLayout.JAVA_LONG, Field.FI_CQ_ERR_ENTRY__OP_CONTEXT.offset),
        0,
        Math.max(1, error.get(ValueLayout.JAVA_INT, Field.FI_CQ_ERR_ENTRY__ERR.offset)));
    return true;
  }
}
