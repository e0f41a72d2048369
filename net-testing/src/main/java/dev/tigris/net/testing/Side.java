package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One side of a connection in a test: a thread, and what belongs to it. A test says step by step
/// what which side does.
public final class Side {
  /// How long a side waits for what must come.
  public static final long LONG_NANOS = 20_000_000_000L;

  /// Long enough for what has been sent to arrive, if it were to.
  public static final long SHORT_NANOS = 20_000_000L;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("side").daemon().factory());
  private final CompletionQueue queue;
  private final PageKind pages;
  private VirtualInterface connected;

  /// Makes a side with a thread and a queue of its own.
  public Side(Fabric fabric) {
    this(fabric, CompletionQueue.DEFAULT_SPIN_NANOS);
  }

  Side(Fabric fabric, long spinNanos) {
    this(fabric, spinNanos, PageKind.ORDINARY);
  }

  Side(Fabric fabric, long spinNanos, PageKind pages) {
    this.queue = call(() -> fabric.completionQueue(spinNanos));
    this.pages = pages;
  }

  /// A new buffer of the kind that the test is about.
  public Jbuf allocate(long bytes, String owner) {
    return Jbuf.allocate(bytes, owner, pages);
  }

  /// A step of a side.
  public interface Step {
    /// Runs the step.
    void run() throws Exception;
  }

  /// Runs a step on this side's thread, and waits for its end.
  public void run(Step step) {
    call(
        () -> {
          step.run();
          return "done";
        });
  }

  /// Runs a step on this side's thread, and returns its result.
  public <T> T call(Callable<T> step) {
    try {
      return start(step).get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case Throwable cause -> throw new CompletionException(cause);
      }
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("a step of this side does not end", e);
    }
  }

  /// Lets this side's thread do it.
  public <T> Future<T> start(Callable<T> step) {
    return thread.submit(step);
  }

  /// The queue of this side.
  public CompletionQueue queue() {
    return queue;
  }

  /// The interface that was connected last.
  public VirtualInterface link() {
    return connected;
  }

  /// Sets what [#link()] returns.
  public VirtualInterface link(VirtualInterface made) {
    connected = made;
    return made;
  }

  /// Registers a new buffer of this length.
  public Ticket memory(long bytes) {
    return call(() -> link().register(allocate(bytes, "test").asBytes()));
  }

  /// Registers a new buffer with these bytes.
  public Ticket memory(byte... content) {
    Ticket ticket = memory(Math.max(1, content.length));
    bytes(ticket).copyFrom(0, content, 0, content.length);
    return range(ticket, 0, content.length);
  }

  /// Names a range.
  public Ticket range(Ticket ticket, long offset, long length) {
    return call(() -> ticket.range(offset, length));
  }

  /// Sets a tag.
  public Ticket tag(Ticket ticket, int tag) {
    return call(() -> ticket.tag(tag));
  }

  /// The view that a ticket was registered for.
  public static Bytes bytes(Ticket ticket) {
    return (Bytes) ticket.view();
  }

  /// The content of a received message.
  public static byte[] content(Ticket ticket) {
    byte[] content = new byte[(int) ticket.transferredBytes()];
    bytes(ticket).copyTo(ticket.offset(), content, 0, content.length);
    return content;
  }

  /// Posts and rings.
  public <D extends Descriptor> D send(D message) {
    run(
        () -> {
          link().postSend(message).orThrow();
          link().ring();
        });
    return message;
  }

  /// Posts memory for a message, and rings.
  public <D extends Descriptor> D receive(D memory) {
    run(
        () -> {
          link().postReceive(memory).orThrow();
          link().ring();
        });
    return memory;
  }

  /// The next completion; fails if none comes.
  public Descriptor next() {
    Descriptor next = call(() -> queue.await(LONG_NANOS));
    assertNotNull(next, "nothing has completed");
    return next;
  }

  /// The next completions.
  public List<Descriptor> next(int count) {
    List<Descriptor> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(next());
    }
    return all;
  }

  /// Gives whatever is under way some time, and checks that nothing completes.
  public void expectNothing() {
    assertNull(call(() -> queue.await(SHORT_NANOS)));
  }

  /// Takes completions until the interface is no longer connected, and all of them were taken.
  public void untilEnded() {
    run(
        () -> {
          long start = System.nanoTime();
          while (link().state() == InterfaceState.CONNECTED || link().outstanding() > 0) {
            if (System.nanoTime() - start > LONG_NANOS) {
              throw new AssertionError(link() + " does not end");
            }
            if (queue.await(SHORT_NANOS) == null) {
              Thread.onSpinWait();
            }
            link().checkInvariants();
          }
        });
  }

  /// Closes the queue. Two sides are closed together, because each waits for the other to take what
  /// was sent last.
  public Future<?> startClosing() {
    Future<?> closing = thread.submit(queue::close);
    thread.shutdown();
    return closing;
  }
}
