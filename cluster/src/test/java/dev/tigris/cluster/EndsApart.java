package dev.tigris.cluster;

import dev.tigris.flow.Mover;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.testing.StreamContract;
import dev.tigris.net.Fabric;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The two ends of a stream over virtual interfaces, each with a thread of its own that moves its
/// messages while it has nothing else to do.
final class EndsApart implements StreamContract.Ends {
  private static final StreamOptions OPTIONS = StreamOptions.DEFAULT.withSlotBytes(4096);
  private static final long LONG_NANOS = 1_000_000_000;

  private final Fabric sends;
  private final Fabric receives;
  private final Exchange here = new Exchange(1, 0, OPTIONS);
  private final Exchange there = new Exchange(1, 0, OPTIONS);
  private final End sender;
  private final End receiver;

  /// Opens both ends, over a fabric for each.
  EndsApart(Fabric sends, Fabric receives, String address, int window) throws Exception {
    this.sends = sends;
    this.receives = receives;
    String listening = there.listen(receives, address);
    StreamKind.Place place = new StreamKind.Place("contract", window);
    receiver = new End(there.receiving("contract"), place);
    sender = new End(here.sending("contract", sends, listening), place);
    sender.run(() -> {}); // which means that it is open
    receiver.run(() -> {});
  }

  /// A thread with one end.
  private static final class End {
    private final ConcurrentLinkedQueue<Runnable> parts = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Stream> opened = new CompletableFuture<>();
    private final Thread thread;
    private volatile @Nullable Mover mover;
    private final AtomicInteger partsAtWork = new AtomicInteger();
    private volatile boolean isOver;

    End(StreamKind kind, StreamKind.Place place) {
      thread = Thread.ofPlatform().name("end").start(() -> work(kind, place));
    }

    private void work(StreamKind kind, StreamKind.Place place) {
      InterfaceStream stream;
      try {
        stream = (InterfaceStream) kind.open(place);
        mover = stream.mover();
        opened.complete(stream);
      } catch (Throwable e) {
        opened.completeExceptionally(e);
        return;
      }
      while (!isOver) {
        Runnable part = parts.poll();
        if (part == null) {
          stream.mover().poll();
          stream.mover().await(LONG_NANOS);
        } else {
          part.run();
          boolean _ = Thread.interrupted();
        }
      }
    }

    Stream stream() {
      return opened.join();
    }

    void run(StreamContract.Body part) throws Exception {
      Future<Void> done = start(part);
      try {
        done.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }

    private Future<Void> start(StreamContract.Body part) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      partsAtWork.incrementAndGet();
      parts.add(
          () -> {
            try {
              part.run();
              done.complete(null);
            } catch (Throwable e) {
              done.completeExceptionally(e);
            } finally {
              partsAtWork.decrementAndGet();
            }
          });
      opened.join();
      Mover its = mover;
      if (its != null) {
        its.wake();
      }
      return done;
    }

    /// A part waits where the stack of its thread says so: the state of a thread that waits in a
    /// call of the system does not.
    boolean isWaiting() {
      if (partsAtWork.get() == 0) {
        return false;
      }
      for (StackTraceElement frame : thread.getStackTrace()) {
        if (frame.getClassName().endsWith(".Parker") && frame.getMethodName().equals("park")) {
          return true;
        }
      }
      return false;
    }

    void close(boolean complete) throws Exception {
      run(
          () -> {
            isOver = true;
            stream().close(complete);
          });
      thread.join();
    }
  }

  @Override
  public Stream sender() {
    return sender.stream();
  }

  @Override
  public Stream receiver() {
    return receiver.stream();
  }

  @Override
  public void send(StreamContract.Body part) throws Exception {
    sender.run(part);
  }

  @Override
  public void take(StreamContract.Body part) throws Exception {
    receiver.run(part);
  }

  @Override
  public boolean hearsLate() {
    return true;
  }

  @Override
  public boolean isWaiting(Thread thread, boolean isSender) {
    return (isSender ? sender : receiver).isWaiting();
  }

  @Override
  public void interrupt(Thread thread, boolean isSender) {
    (isSender ? sender : receiver).thread.interrupt();
  }

  @Override
  public void close() throws IOException {
    try {
      sender.close(false);
      receiver.close(false);
    } catch (Exception e) {
      throw new IOException(e);
    }
    here.close();
    there.close();
    sends.close();
    receives.close();
  }
}
