package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Takes requests of other threads.
final class LocalListener extends HandshakeListener<HandshakeListener.Silent> {
  private final String address;
  private final Runnable onClose;
  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private boolean closed;

  LocalListener(String address, Runnable onClose) {
    super(HANDSHAKE_NANOS);
    this.address = address;
    this.onClose = onClose;
  }

  /// Returns whether the request will be answered.
  synchronized boolean ask(Request request) {
    return !closed && requests.offer(request);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  protected void look(long nanos) {
    try {
      Request next = requests.poll(nanos, TimeUnit.NANOSECONDS);
      for (; next != null; next = requests.poll()) {
        if (!next.answer.isDone()) { // else its thread has given up
          heard(next, next.hello);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected void endWait() {
    Request none = new Request(Hello.request(0, Attributes.DEFAULT), address);
    none.close();
    requests.add(none);
  }

  @Override
  public synchronized void close() {
    closed = true;
    onClose.run();
    turnAway();
    requests.forEach(Request::close);
  }

  /// A thread that waits for an answer, and what both sides will exchange messages by.
  static final class Request implements Caller {
    final Hello hello;
    final CompletableFuture<@Nullable Hello> answer = new CompletableFuture<>();
    final Pipe.End stream = Pipe.End.open();
    private final String address;

    Request(Hello hello, String address) {
      this.hello = hello;
      this.address = address;
    }

    @Override
    public String name() {
      return "a thread that connects to " + address;
    }

    @Override
    public Link link(Port port, Attributes attributes, long peerMaximum) {
      return new LocalLink((LocalPort) port, stream.other(), name(), attributes, peerMaximum);
    }

    @Override
    public boolean answer(Hello said) {
      return answer.complete(said);
    }

    @Override
    public void close() {
      answer.complete(null);
    }
  }
}
