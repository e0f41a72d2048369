package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Takes requests of other threads.
final class LocalListener implements ProviderListener {
  /// In the queue, it ends a wait.
  private static final Request WAKE = new Request(0, null, Attributes.DEFAULT, "");

  private final String address;
  private final Runnable onClose;
  private final LinkedBlockingDeque<Request> requests = new LinkedBlockingDeque<>();
  private boolean closed;

  LocalListener(String address, Runnable onClose) {
    this.address = address;
    this.onClose = onClose;
  }

  /// Returns whether somebody will answer.
  synchronized boolean ask(Request request) {
    return !closed && requests.offer(request);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public @Nullable IncomingRequest next(long timeoutNanos) {
    try {
      Request next = requests.poll(timeoutNanos, TimeUnit.NANOSECONDS);
      while (next != null && next != WAKE && next.answer.isDone()) {
        next = requests.poll(); // whose thread has given up
      }
      return next == WAKE ? null : next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public void wake() {
    if (requests.peekLast() != WAKE) {
      requests.add(WAKE);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    onClose.run();
    for (Request left : requests) {
      left.answer.complete(ConnectResult.closedWithoutAnswer());
    }
  }

  /// A thread that waits for an answer.
  static final class Request implements IncomingRequest {
    final CompletableFuture<ConnectResult> answer = new CompletableFuture<>();
    private final long tag;
    private final @Nullable LocalPort port;
    private final Attributes attributes;
    private final String address;

    Request(long tag, @Nullable LocalPort port, Attributes attributes, String address) {
      this.tag = tag;
      this.port = port;
      this.attributes = attributes;
      this.address = address;
    }

    @Override
    public long tag() {
      return tag;
    }

    @Override
    public String peer() {
      return "a thread that connects to " + address;
    }

    @Override
    public Link accept(Port accepting, Attributes its) {
      LocalPort here = (LocalPort) accepting;
      LocalPort there = java.util.Objects.requireNonNull(port);
      Pipe out = new Pipe(there);
      Pipe in = new Pipe(here);
      LocalLink accepted = new LocalLink(peer(), here, in, out, its, attributes);
      LocalLink connected = new LocalLink(address, there, out, in, attributes, its);
      if (!answer.complete(new ConnectResult.Connected(connected))) {
        in.end("it has given up connecting");
      }
      return accepted;
    }

    @Override
    public void reject() {
      answer.complete(ConnectResult.rejected(tag));
    }
  }
}
