package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One side of a connection.
final class LocalLink extends Link {
  private final String peer;
  private final LocalPort port;
  private final Pipe in;
  private final Pipe out;
  private ReceiveStage stage = ReceiveStage.HEADER;

  LocalLink(
      String peer, LocalPort port, Pipe in, Pipe out, Attributes attributes, Attributes others) {
    super(attributes, others.maximumMessageBytes());
    this.peer = peer;
    this.port = port;
    this.in = in;
    this.out = out;
    port.add(this);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public boolean takesArrays() {
    return true;
  }

  @Override
  public void register(Region region) {}

  @Override
  public void deregister(Region region) {}

  @Override
  public void ring() {
    try {
      send();
    } catch (LostMemoryException e) {
      failOf(e);
    }
  }

  private void send() {
    boolean any = false;
    while (!sends.isEmpty() && out.offer(Objects.requireNonNull(sends.peek()))) {
      sends.sent();
      any = true;
    }
    if (any) {
      out.say();
    }
  }

  void progress() {
    try {
      send();
      receive();
    } catch (LostMemoryException e) {
      failOf(e);
      return;
    }
    String end = in.end();
    if (end == null || !isConnected()) {
      return;
    }
    if (!end.isEmpty()) {
      broken(failure(end, null));
    } else if (in.peek() == null) {
      ended();
    } else if (!sends.isEmpty()) {
      broken(failure("the peer has closed, and takes no message", null));
    }
  }

  /// Whether [#progress] has something to do.
  boolean hasWork() {
    boolean arrived = in.peek() != null;
    return isConnected() && (arrived ? !receives.isEmpty() : in.end() != null);
  }

  private void receive() {
    boolean any = false;
    for (Pipe.Slot next = in.peek(); next != null && isConnected(); next = in.peek()) {
      if (stage == ReceiveStage.HEADER || stage == ReceiveStage.WAITING) {
        stage = receives.arriving(next.length, next.tag, next.type);
      }
      if (stage == ReceiveStage.WAITING) {
        break;
      }
      if (stage == ReceiveStage.FILLING) {
        Transfer into = Objects.requireNonNull(receives.peek());
        into.copyFrom(next.memory, 0, 0, next.length);
        receives.received(next.length, next.tag, next.type);
      }
      stage = ReceiveStage.HEADER;
      in.remove();
      any = true;
    }
    if (in.want(!receives.isEmpty()) || any) {
      out.say(); // there is room
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    out.end(inOrder ? "" : "the peer has broken the connection off");
    in.end("");
    port.remove(this);
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    out.end("the peer has broken the connection off");
    broken(failure(what, cause));
  }
}
