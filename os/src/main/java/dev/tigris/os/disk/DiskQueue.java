// Over 400 lines: the one account of what is under way, and the rules for each way that it ends.
package dev.tigris.os.disk;

import dev.tigris.os.IoUring;
import dev.tigris.os.Platform;
import dev.tigris.os.SystemException;
import dev.tigris.os.WaitSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// A thread's operations on files and block devices, several of which are under way at a time.
///
/// ```java
/// try (DiskQueue queue = DiskQueue.open(32)) {
///   DiskFile file = queue.open(path, DiskFile.Mode.READ, DiskFile.Caching.DIRECT);
///   queue.start(new DiskOperation().toRead(file, 0, first));
///   queue.start(new DiskOperation().toRead(file, 4096, second));
///   queue.take().orThrow();    // whichever is done first
/// }
/// ```
///
/// **Batching.** What is started is handed to the kernel by the next [#poll], [#take], [#run] or
/// [#submit], all of it at once.
///
/// **Order.** None between operations that are under way, except that a sync covers the writes of
/// its file that were started before it. So of two operations on the same bytes, where one writes,
/// the second is started after the first was taken.
///
/// **Failures.** An operation that fails is returned by [#take] like another, with its failure.
/// The ends of a read and the short transfers are the queue's business: an operation transfers
/// everything, or ends with the file, or fails. When a sync has failed, the kernel takes the pages
/// for written, and a second sync would find nothing wrong (Rebello et al., ATC 2020). So the file
/// is *poisoned*: every later write and sync of it fails.
///
/// **Waiting.** A queue is a [WaitSource], so that a thread waits for it together with others.
/// An interrupt ends no operation, nor a [#take].
///
/// Conservation: `depth = free slots + operations that have one`. One that has a slot is at the
/// engine, or is a sync that waits for writes. One that is done has none.
///
/// Thread rule: the thread that opened it, except for [#wake].
public final class DiskQueue implements WaitSource, AutoCloseable {
  /// How operations are carried out.
  public enum Way {
    /// By io_uring. Linux, unless it is forbidden there.
    IO_URING,
    /// By calls that threads make.
    PLAIN
  }

  /// The property that names a [Way] for queues that are to have the best one.
  public static final String WAY_PROPERTY = "tigris.disk";

  /// The most operations that a queue has under way.
  public static final int MOST_DEPTH = 256;

  /// Another one from the first file of another host on. Both have one [Engine#wake].
  private Engine engine;

  private final Thread owner = Thread.currentThread();
  private final @Nullable String obstacle;
  private final @Nullable DiskOperation[] slots;
  private final int[] freeSlots;
  private int free;
  private final Queue<DiskOperation> done = new ArrayDeque<>();

  /// Those that wait for tokens.
  private final List<DiskOperation> held = new ArrayList<>();

  private final List<DiskFile> files = new ArrayList<>();
  private boolean closed;

  DiskQueue(Engine engine, int depth, @Nullable String obstacle) {
    this.engine = engine;
    this.obstacle = obstacle;
    this.slots = new DiskOperation[depth];
    this.freeSlots = new int[depth];
    for (int slot = 0; slot < depth; slot++) {
      freeSlots[free++] = slot;
    }
  }

  /// Opens a queue that works in the best way that is allowed here, which `-Dtigris.disk=plain`
  /// overrides.
  ///
  /// @param depth how many operations can be under way, from 1 to [#MOST_DEPTH]
  public static DiskQueue open(int depth) {
    String obstacle = obstacleForThisThread();
    if (obstacle == null) {
      try {
        return open(Way.IO_URING, depth);
      } catch (SystemException e) {
        obstacle = e.getMessage();
      }
    }
    return new DiskQueue(new PlainEngine(requireDepth(depth)), depth, obstacle);
  }

  private static @Nullable String obstacleForThisThread() {
    String wanted = System.getProperty(WAY_PROPERTY, "");
    if (!Platform.LINUX) {
      return "io_uring is one of Linux";
    }
    if (wanted.equals("plain")) {
      return "-D" + WAY_PROPERTY + "=plain asks for plain calls";
    }
    if (!wanted.isEmpty() && !wanted.equals("io_uring")) {
      throw new IllegalArgumentException(
          "-D%s=%s is no way to use disks: give io_uring or plain".formatted(WAY_PROPERTY, wanted));
    }
    // A ring belongs to a thread of the system, and a virtual one changes that.
    return Thread.currentThread().isVirtual() ? "a virtual thread cannot own a ring" : null;
  }

  /// Opens a queue that works in this way.
  ///
  /// @throws SystemException if the system does not allow io_uring, with why
  public static DiskQueue open(Way way, int depth) throws SystemException {
    int checked = requireDepth(depth);
    return switch (way) {
      case PLAIN -> new DiskQueue(new PlainEngine(checked), checked, null);
      case IO_URING -> {
        Platform.requireLinux("io_uring");
        if (Thread.currentThread().isVirtual()) {
          throw new IllegalStateException(
              "a virtual thread cannot own a ring: open the queue by another thread");
        }
        yield new DiskQueue(new UringEngine(), checked, null);
      }
    };
  }

  private static int requireDepth(int depth) {
    if (depth < 1 || depth > MOST_DEPTH) {
      throw new IllegalArgumentException(
          "%d operations at a time: a queue has from 1 to %d".formatted(depth, MOST_DEPTH));
    }
    return depth;
  }

  /// Returns how it works, in words for people.
  public String way() {
    return engine.name();
  }

  /// Returns why it does not use io_uring; null if it does, or was told not to.
  public @Nullable String obstacle() {
    return obstacle;
  }

  Engine engine() {
    return engine;
  }

  /// Registers memory that buffers of operations may be parts of, so that the kernel pins its pages
  /// once and not for each operation. The memory stays allocated until the queue is closed.
  /// Returns whether that was possible: operations work either way.
  public boolean register(MemorySegment memory) {
    requireOwner();
    return engine.registerMemory(memory);
  }

  /// Opens a file or a block device, or a file of another host ([FileHost]).
  ///
  /// @throws IOException also if it is another kind of file, or a device that is to be written and
  ///     is in use by a file system
  public DiskFile open(Path path, DiskFile.Mode mode, DiskFile.Caching caching) throws IOException {
    requireOwner();
    DiskFile file =
        FileHost.isElsewhere(path)
            ? openElsewhere(path, mode)
            : DiskFile.open(this, path, mode, caching);
    files.add(file);
    return file;
  }

  private DiskFile openElsewhere(Path path, DiskFile.Mode mode) throws IOException {
    RemoteFile remote = FileHost.of(path).open(path, mode);
    RemoteEngine all = engine instanceof RemoteEngine known ? known : new RemoteEngine(engine);
    engine = all;
    return new DiskFile(this, path, mode, remote, all.add(remote));
  }

  void forget(DiskFile file) {
    requireOwner();
    if (engine instanceof RemoteEngine all) {
      all.remove(file.descriptor(false));
    }
    boolean _ = files.remove(file);
  }

  /// Returns how many operations can be started now.
  public int room() {
    return free;
  }

  /// Returns how many operations are started and not done.
  public int underWay() {
    return slots.length - free;
  }

  /// Starts a prepared operation.
  ///
  /// @throws IllegalStateException if there is no room, or the operation is not prepared
  public void start(DiskOperation operation) {
    requireOwner();
    DiskFile file = operation.requireFile();
    file.requireOpen();
    if (operation.state != DiskOperation.State.READY) {
      throw new IllegalStateException("this operation was started already: prepare it again");
    }
    if (!file.isOf(this)) {
      throw new IllegalArgumentException(file.path() + " was opened by another queue");
    }
    if (free == 0) {
      throw new IllegalStateException(
          "all %d operations of this queue are under way: take one first".formatted(slots.length));
    }
    DiskException poison = file.failedSync;
    if (poison != null && operation.kind() != DiskOperation.Kind.READ) {
      operation.fail(DiskException.afterFailedSync(file.path(), poison));
      finished(operation);
      return;
    }
    if (operation.kind() != DiskOperation.Kind.SYNC && operation.memory().byteSize() == 0) {
      finished(operation);
      return;
    }
    operation.state = DiskOperation.State.UNDER_WAY;
    int slot = freeSlots[--free];
    slots[slot] = operation;
    operation.slot = slot;
    file.underWay++;
    switch (operation.kind()) {
      case READ -> beginInTime(slot, operation, file);
      case WRITE -> {
        operation.epoch = file.epoch;
        file.writesUnderWay++;
        beginInTime(slot, operation, file);
      }
      case SYNC -> startSync(operation, file);
    }
  }

  private void beginInTime(int slot, DiskOperation operation, DiskFile file) {
    DiskPace pace = file.pace;
    if (pace == null) {
      begin(slot, operation);
    } else {
      operation.dueNanos = pace.take(operation.left(), System.nanoTime());
      operation.isHeld = true;
      held.add(operation);
    }
  }

  /// Begins what has its tokens.
  private void beginHeld() {
    if (held.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    for (Iterator<DiskOperation> each = held.iterator(); each.hasNext(); ) {
      DiskOperation operation = each.next();
      if (operation.dueNanos != Long.MAX_VALUE && operation.dueNanos - now <= 0) {
        each.remove();
        operation.isHeld = false;
        begin(operation.slot, operation);
      }
    }
  }

  /// Returns how long until something that is held has its tokens, at most so long.
  private long untilHeld(long most) {
    long left = most;
    if (!held.isEmpty()) {
      long now = System.nanoTime();
      for (DiskOperation operation : held) {
        if (operation.dueNanos != Long.MAX_VALUE) {
          left = Math.min(left, Math.max(0, operation.dueNanos - now));
        }
      }
    }
    return left;
  }

  /// Waits for a piece, or until something that is held has its tokens.
  private void awaitOne() {
    if (held.isEmpty()) {
      engine.awaitOne();
      return;
    }
    beginHeld();
    engine.submit();
    engine.announce(true);
    if (!engine.hasWork()) {
      long nanos = untilHeld(Long.MAX_VALUE);
      if (nanos > 0) {
        engine.park(nanos);
      }
    }
    engine.announce(false);
    beginHeld();
  }

  /// Asks to end an operation that is under way early. It is taken as any other, as if nothing were
  /// asked or failed with [DiskException#isCancelled]: most disks end what they have begun.
  public void cancel(DiskOperation operation) {
    requireOwner();
    if (operation.state != DiskOperation.State.UNDER_WAY) {
      return;
    }
    if (operation.isHeld) {
      held.remove(operation);
      operation.isHeld = false;
      refused(operation.slot, operation, -IoUring.CANCELED);
    } else if (operation.kind() != DiskOperation.Kind.SYNC) {
      engine.cancel(operation.slot);
    }
  }

  /// A sync waits for the writes before it: the kernel would not. It waits for the syncs before it
  /// as well: of two at a time, only one is told of a write that was lost.
  private void startSync(DiskOperation sync, DiskFile file) {
    sync.epoch = ++file.epoch;
    sync.awaited = file.writesUnderWay;
    file.waitingSyncs.add(sync);
    beginSync(file);
  }

  /// Begins the first sync that waits, if it may. The one behind it waits for no fewer writes.
  private void beginSync(DiskFile file) {
    DiskOperation sync = file.waitingSyncs.peek();
    if (sync == null || sync.awaited > 0 || file.isSyncing) {
      return;
    }
    file.waitingSyncs.remove();
    file.isSyncing = true;
    DiskException poison = file.failedSync;
    if (poison == null) {
      begin(sync.slot, sync);
    } else {
      sync.fail(DiskException.afterFailedSync(file.path(), poison));
      end(sync.slot, sync);
    }
  }

  private void begin(int slot, DiskOperation operation) {
    DiskFile file = operation.requireFile();
    if (operation.kind() == DiskOperation.Kind.SYNC) {
      MemorySegment none = MemorySegment.NULL;
      engine.begin(slot, operation.kind(), file.descriptor(false), file.place(false), 0, none);
      return;
    }
    long at = operation.position() + operation.transferred();
    long address = operation.memory().address() + operation.transferred();
    long piece = file.piece(at, address, operation.left());
    boolean isDirect = piece > 0;
    operation.isPieceDirect = isDirect;
    operation.pieceBytes = Math.abs(piece);
    if (engine instanceof RemoteEngine all) {
      all.progress(operation.progress);
    }
    engine.begin(
        slot,
        operation.kind(),
        file.descriptor(isDirect),
        file.place(isDirect),
        at,
        operation.part(operation.pieceBytes));
  }

  /// Hands over what was started.
  public void submit() {
    requireOwner();
    engine.submit();
  }

  /// Takes what is done, without a wait; null if nothing is.
  public @Nullable DiskOperation takeNow() {
    requireOwner();
    if (done.isEmpty()) {
      boolean _ = poll();
    }
    DiskOperation operation = done.poll();
    if (operation != null) {
      operation.state = DiskOperation.State.IDLE;
    }
    return operation;
  }

  /// Waits until an operation is done, and takes it.
  ///
  /// @throws IllegalStateException if none is under way
  public DiskOperation take() {
    requireOwner();
    while (true) {
      reap();
      DiskOperation operation = done.poll();
      if (operation != null) {
        operation.state = DiskOperation.State.IDLE;
        return operation;
      }
      if (underWay() == 0) {
        throw new IllegalStateException("no operation is under way");
      }
      awaitOne();
    }
  }

  /// Starts an operation, waits for it, and takes it. Others that are done meanwhile stay to be
  /// taken.
  ///
  /// @throws DiskException if it has failed
  public DiskOperation run(DiskOperation operation) throws DiskException {
    start(operation);
    while (operation.state != DiskOperation.State.DONE) {
      reap();
      if (operation.state != DiskOperation.State.DONE) {
        awaitOne();
      }
    }
    boolean _ = done.remove(operation);
    operation.state = DiskOperation.State.IDLE;
    return operation.orThrow();
  }

  private void reap() {
    while (engine.next()) {
      int slot = engine.slot();
      DiskOperation operation = slot >= 0 && slot < slots.length ? slots[slot] : null;
      if (operation == null) {
        throw new IllegalStateException("the system has completed operation %d".formatted(slot));
      }
      completed(slot, operation, engine.result());
    }
  }

  /// A piece has come back.
  private void completed(int slot, DiskOperation operation, int result) {
    if (result == -SystemException.INTERRUPTED || result == -SystemException.AGAIN) {
      begin(slot, operation);
    } else if (result < 0) {
      refused(slot, operation, -result);
    } else if (operation.kind() == DiskOperation.Kind.SYNC) {
      end(slot, operation);
    } else {
      moved(slot, operation, result);
    }
  }

  private void refused(int slot, DiskOperation operation, int error) {
    boolean isDirect = operation.kind() != DiskOperation.Kind.SYNC && operation.isPieceDirect;
    if (isDirect && (error == SystemException.INVALID || error == SystemException.NOT_SUPPORTED)) {
      // Some file systems open a file for direct I/O and refuse it then.
      operation.requireFile().refuseDirect();
      begin(slot, operation);
      return;
    }
    operation.fail(DiskException.of(operation, error));
    end(slot, operation);
  }

  private void moved(int slot, DiskOperation operation, long bytes) {
    if (bytes > operation.pieceBytes) {
      throw new IllegalStateException(
          "the system has transferred %d bytes of %d".formatted(bytes, operation.pieceBytes));
    }
    operation.advance(bytes);
    if (operation.left() == 0) {
      end(slot, operation);
    } else if (bytes > 0) {
      begin(slot, operation);
    } else {
      if (operation.kind() == DiskOperation.Kind.WRITE) { // a device has an end, too
        operation.fail(DiskException.of(operation, SystemException.NO_SPACE));
      }
      end(slot, operation);
    }
  }

  private void end(int slot, DiskOperation operation) {
    slots[slot] = null;
    freeSlots[free++] = slot;
    DiskFile file = operation.requireFile();
    file.underWay--;
    finished(operation);
    switch (operation.kind()) {
      case READ -> {}
      case WRITE -> {
        file.writesUnderWay--;
        for (DiskOperation sync : file.waitingSyncs) {
          sync.awaited -= operation.epoch < sync.epoch ? 1 : 0;
        }
      }
      case SYNC -> {
        file.isSyncing = false;
        if (operation.failure() != null && file.failedSync == null) {
          file.failedSync = operation.failure();
        }
      }
    }
    beginSync(file);
  }

  private void finished(DiskOperation operation) {
    operation.state = DiskOperation.State.DONE;
    done.add(operation);
  }

  /// Hands over what was started and collects what is done. Returns whether there is something to
  /// take.
  @Override
  public boolean poll() {
    requireOwner();
    beginHeld();
    engine.submit();
    reap();
    engine.submit(); // the rests of short transfers
    return !done.isEmpty();
  }

  @Override
  public boolean arm(WaitSource host) {
    if (!held.isEmpty() && !equals(host)) {
      throw new IllegalStateException(
          "a queue with a file that is made slower has to be the host of its thread's wait");
    }
    beginHeld();
    engine.submit();
    engine.announce(true);
    if (!done.isEmpty() || engine.hasWork()) {
      return false;
    }
    if (!equals(host) && underWay() > 0) {
      engine.runOnce(host::wake);
    }
    return true;
  }

  @Override
  public void disarm() {
    engine.announce(false);
  }

  @Override
  public void park(long nanos) {
    long left = untilHeld(nanos);
    if (left > 0) {
      engine.park(left);
    }
  }

  @Override
  public void wake() {
    engine.wake();
  }

  private void requireOwner() {
    if (!Thread.currentThread().equals(owner)) {
      throw new IllegalStateException(
          "a disk queue is its thread's, %s, and not for %s"
              .formatted(owner.getName(), Thread.currentThread().getName()));
    }
    if (closed) {
      throw new IllegalStateException("this disk queue was closed");
    }
  }

  /// Waits for what is under way, whose buffers the kernel has, and closes the queue and its files.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    requireOwner();
    for (DiskOperation operation : List.copyOf(held)) {
      cancel(operation);
    }
    while (underWay() > 0) {
      engine.awaitOne();
      reap();
    }
    for (DiskFile file : List.copyOf(files)) {
      file.close();
    }
    closed = true;
    engine.close();
  }

  /// Checks the equation above.
  void checkInvariants() {
    int used = 0;
    int writes = 0;
    for (DiskOperation operation : slots) {
      if (operation != null) {
        used++;
        writes += operation.kind() == DiskOperation.Kind.WRITE ? 1 : 0;
        require(operation.state == DiskOperation.State.UNDER_WAY, "state");
      }
    }
    require(used + free == slots.length, "slots");
    require(files.stream().mapToInt(file -> file.underWay).sum() == used, "files");
    require(files.stream().mapToInt(file -> file.writesUnderWay).sum() == writes, "writes");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("the account of a disk queue is wrong: " + what);
    }
  }
}
