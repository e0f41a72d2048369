// Over 400 lines: one disk, its requests, and the thread that they meet on.
package dev.tigris.cluster.disk;

import dev.tigris.flow.mirror.ReadOrder;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.Status;
import dev.tigris.os.disk.DiskException;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A folder that a host serves, and the thread that has its files in one queue.
///
/// ```
///   threads of calls                     this disk's thread
///   read ----> inbox ----> ReadOrder --- two at a time ---.
///   write ---> inbox ----> as they come -------------------+--> DiskQueue --> the call's future
/// ```
///
/// Conservation: each request that was taken in is in the order, in `others`, or under way, until
/// its future is completed. Clients have a bounded number of calls, which bounds them all.
///
/// Thread rule: any thread.
final class ServedDisk implements AutoCloseable {
  /// One that the disk does, and one that comes next: what waits longer could be overtaken.
  private static final int READS = 2;

  private static final int DEPTH = 64;
  private static final int ALIGNMENT = 4096;
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /// An open file.
  static final class Opened {
    final DiskFile file;
    private int users;
    private boolean isClosing;

    private Opened(DiskFile file) {
      this.file = file;
    }
  }

  /// Memory of a read: the reply's header lies before the first aligned byte.
  private record Buffer(Bytes all, long dataAt) {}

  /// A read, write or sync.
  private abstract static class Request {
    final Opened of;

    Request(Opened of) {
      this.of = of;
    }

    abstract DiskOperation operation();

    abstract void ended(long result);

    /// It was not begun.
    abstract void refused(CallException why);
  }

  /// A read. The call copies the reply by the thread that completes the future, or by its own if
  /// that comes later. So the memory is free when the disk has ended and the call has copied.
  private final class Reading extends Request {
    final CompletableFuture<Bytes> future =
        new CompletableFuture<>() {
          @Override
          public CompletableFuture<Bytes> whenComplete(
              BiConsumer<? super Bytes, ? super Throwable> action) {
            return super.whenComplete(
                (reply, failure) -> {
                  try {
                    action.accept(reply, failure);
                  } finally {
                    leaveBuffer();
                  }
                });
          }
        };

    /// The disk and the call.
    private final AtomicInteger usersOfBuffer = new AtomicInteger(2);

    private final long position;
    private final int bytes;
    private volatile @Nullable Buffer buffer;

    Reading(Opened of, long position, int bytes) {
      super(of);
      this.position = position;
      this.bytes = bytes;
    }

    @Override
    DiskOperation operation() {
      Buffer own = takeBuffer();
      buffer = own;
      MemorySegment to = own.all.segment().asSlice(own.dataAt, bytes);
      return new DiskOperation().toRead(of.file, position, to).keeping(this);
    }

    /// Returns whether its caller has given it up.
    boolean isGivenUp() {
      return future.isDone();
    }

    @Override
    void ended(long result) {
      Buffer own = buffer;
      Bytes reply =
          own == null
              ? Jbuf.allocate(HostDisks.REPLY_HEADER_BYTES, "disks").asBytes()
              : own.all.slice(
                  own.dataAt - HostDisks.REPLY_HEADER_BYTES,
                  HostDisks.REPLY_HEADER_BYTES + Math.max(0, result));
      reply.setLong(0, result);
      boolean _ = future.complete(reply);
      leaveBuffer();
    }

    @Override
    void refused(CallException why) {
      boolean _ = future.completeExceptionally(why);
      leaveBuffer();
    }

    private void leaveBuffer() {
      Buffer own = buffer;
      if (usersOfBuffer.decrementAndGet() == 0 && own != null) {
        free.add(own);
      }
    }
  }

  /// A write or sync. It is done though its caller gives it up.
  private static final class Writing extends Request {
    final CompletableFuture<Long> future = new CompletableFuture<>();
    private final long position;
    private final @Nullable MemorySegment bytes;
    private final Runnable release;

    /// @param bytes null for a sync
    Writing(Opened of, long position, @Nullable MemorySegment bytes, Runnable release) {
      super(of);
      this.position = position;
      this.bytes = bytes;
      this.release = release;
    }

    @Override
    DiskOperation operation() {
      var operation = new DiskOperation();
      return (bytes == null
              ? operation.toSync(of.file)
              : operation.toWrite(of.file, position, bytes))
          .keeping(this);
    }

    @Override
    void ended(long result) {
      release.run();
      boolean _ = future.complete(result);
    }

    @Override
    void refused(CallException why) {
      release.run();
      boolean _ = future.completeExceptionally(why);
    }
  }

  private final Path folder;
  private final Thread thread;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();

  /// Memory that no read has: as many as reads are under way, and as replies are being copied.
  private final Queue<Buffer> free = new ConcurrentLinkedQueue<>();
  private volatile @Nullable DiskQueue queue;
  private volatile @Nullable Throwable failure;
  private volatile boolean isClosed;
  private volatile boolean isEnded;

  // Of the thread.
  private final ReadOrder<Reading> order = new ReadOrder<>();
  private final Queue<Request> others = new ArrayDeque<>();
  private final List<Jbuf> buffers = new ArrayList<>();
  private int readsUnderWay;

  ServedDisk(Path folder) {
    this.folder = folder;
    this.thread = Thread.ofPlatform().daemon().name("tigris-disk-" + folder).unstarted(this::run);
    thread.start();
  }

  Path folder() {
    return folder;
  }

  // ---- any thread

  private void post(Runnable task) {
    inbox.add(task);
    DiskQueue known = queue;
    if (known != null) {
      known.wake();
    } else if (isEnded) {
      runAll();
    }
  }

  private void runAll() {
    for (Runnable task = inbox.poll(); task != null; task = inbox.poll()) {
      task.run();
    }
  }

  /// Runs something on the thread, and waits for it.
  private <T> T call(Callable<T> what) throws IOException {
    var done = new CompletableFuture<T>();
    post(
        () -> {
          try {
            T its = what.call();
            boolean _ = done.complete(its);
          } catch (Exception e) {
            boolean _ = done.completeExceptionally(e);
          }
        });
    try {
      return done.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  Opened open(Path file, DiskFile.Mode mode) throws IOException {
    return call(() -> new Opened(queue().open(file, mode, DiskFile.Caching.DIRECT)));
  }

  long size(Opened of) throws IOException {
    return call(() -> of.file.size());
  }

  void resize(Opened of, long bytes) throws IOException {
    Object _ =
        call(
            () -> {
              of.file.resize(bytes);
              return of;
            });
  }

  /// Closes a file when what is under way has ended.
  void close(Opened of) {
    post(
        () -> {
          of.isClosing = true;
          closeIfIdle(of);
        });
  }

  CompletableFuture<Bytes> read(
      Opened of, long position, int bytes, long reading, double progress) {
    var request = new Reading(of, position, bytes);
    post(
        () -> {
          if (begin(request)) {
            order.add(reading, progress, request);
          }
        });
    return request.future;
  }

  /// @param release runs when the bytes are not needed any more
  CompletableFuture<Long> write(Opened of, long position, MemorySegment bytes, Runnable release) {
    return other(new Writing(of, position, bytes, release));
  }

  CompletableFuture<Long> sync(Opened of) {
    return other(new Writing(of, 0, null, () -> {}));
  }

  private CompletableFuture<Long> other(Writing request) {
    post(
        () -> {
          if (begin(request)) {
            others.add(request);
          }
        });
    return request.future;
  }

  // ---- the thread

  private DiskQueue queue() {
    DiskQueue known = queue;
    if (known == null) {
      throw new IllegalStateException("the disk of %s is not served any more".formatted(folder));
    }
    return known;
  }

  /// Counts a request, unless its file is closed.
  private boolean begin(Request request) {
    if (request.of.isClosing || isEnded) {
      request.ended(-HostDisks.STALE);
      return false;
    }
    request.of.users++;
    return true;
  }

  private void closeIfIdle(Opened of) {
    if (of.isClosing && of.users == 0 && !isEnded) {
      of.file.close();
    }
  }

  private Buffer takeBuffer() {
    Buffer buffer = free.poll();
    if (buffer == null) {
      Jbuf made = Jbuf.allocate(HostDisks.MOST_BYTES + 2L * ALIGNMENT, "disks");
      buffers.add(made);
      Bytes all = made.asBytes();
      long address = all.segment().address();
      buffer = new Buffer(all, ALIGNMENT + (-address & (ALIGNMENT - 1)));
    }
    return buffer;
  }

  private void run() {
    try (DiskQueue opened = DiskQueue.open(DEPTH)) {
      queue = opened;
      ready.countDown();
      serve(opened);
    } catch (Throwable e) {
      failure = e;
    } finally {
      queue = null;
      ready.countDown();
      end();
    }
  }

  /// Refuses what was asked for and not begun, and what is asked for from now on.
  private void end() {
    isEnded = true;
    runAll();
    for (Request each = others.poll(); each != null; each = others.poll()) {
      each.ended(-HostDisks.STALE);
    }
    for (Reading each = order.next(); each != null; each = order.next()) {
      each.ended(-HostDisks.STALE);
    }
    buffers.forEach(buffer -> buffer.unreference(Jbuf::free));
  }

  private void serve(DiskQueue opened) {
    while (!isClosed) {
      runAll();
      start(opened);
      boolean any = false;
      for (DiskOperation done = opened.takeNow(); done != null; done = opened.takeNow()) {
        any = true;
        ended(done);
      }
      if (!any) {
        if (opened.arm(opened) && inbox.isEmpty()) {
          opened.park(LOOK_NANOS);
        }
        opened.disarm();
      }
    }
  }

  private void start(DiskQueue opened) {
    while (opened.room() > 0 && !others.isEmpty()) {
      boolean _ = start(opened, others.remove());
    }
    while (readsUnderWay < READS && opened.room() > 0) {
      Reading next = order.next();
      if (next == null) {
        return;
      }
      if (next.isGivenUp()) {
        leave(next.of);
      } else if (start(opened, next)) {
        readsUnderWay++;
      }
    }
  }

  /// Starts a request; one that cannot be made fails alone, and the disk serves the others.
  private boolean start(DiskQueue opened, Request request) {
    try {
      opened.start(request.operation());
      return true;
    } catch (IllegalArgumentException e) {
      request.refused(
          new CallException(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e));
    } catch (MemoryBudgetException e) {
      request.refused(
          new CallException(Status.RESOURCE_EXHAUSTED, String.valueOf(e.getMessage()), e));
    }
    leave(request.of);
    return false;
  }

  private void leave(Opened of) {
    of.users--;
    closeIfIdle(of);
  }

  private void ended(DiskOperation operation) {
    if (!(operation.keeper() instanceof Request request)) {
      throw new IllegalStateException("an operation of no request");
    }
    readsUnderWay -= request instanceof Reading ? 1 : 0;
    DiskException failed = operation.failure();
    request.ended(failed == null ? operation.transferred() : -failed.error());
    leave(request.of);
  }

  /// Waits until it can be used.
  void await() throws IOException {
    try {
      ready.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    Throwable e = failure;
    if (e != null) {
      throw new IOException("%s cannot be served: %s".formatted(folder, e.getMessage()), e);
    }
  }

  /// Ends it, when what the disk has begun has ended.
  @Override
  public void close() {
    isClosed = true;
    post(() -> {});
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
