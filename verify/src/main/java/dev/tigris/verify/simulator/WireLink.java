package dev.tigris.verify.simulator;

import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One end of a connection over wires.
final class WireLink extends Link {
  private static final int TAG = 0;

  private final WirePort port;
  private final Wire in;
  private final Wire out;
  private final String peer;

  WireLink(
      WirePort port,
      Attributes attributes,
      long peerMaximumMessageBytes,
      Wire in,
      Wire out,
      String peer) {
    super(attributes, peerMaximumMessageBytes);
    this.port = port;
    this.in = in;
    this.out = out;
    this.peer = peer;
    port.add(this);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void ring() {
    send();
  }

  void progress() {
    receive();
    if (isConnected() && in.isCut()) {
      port.remove(this);
      broken(failure("the connection was cut", null));
    }
    send();
  }

  @SuppressWarnings("ReferenceEquality") // the end is that very message
  private void receive() {
    for (byte[] next = in.first(); next != null && isConnected(); next = in.first()) {
      if (next == Wire.END) {
        in.take();
        port.remove(this);
        ended();
        return;
      }
      Transfer first = receives.peek();
      ReceiveStage stage =
          receives.arriving(next.length, TAG, first == null ? DataType.MIXED : first.memoryType());
      if (stage == ReceiveStage.WAITING) {
        return;
      }
      in.take();
      if (stage == ReceiveStage.FILLING) {
        Transfer into = Objects.requireNonNull(first);
        into.copyFrom(MemorySegment.ofArray(next), 0, 0, next.length);
        receives.received(next.length, TAG, into.memoryType());
      }
    }
  }

  private void send() {
    while (isConnected() && !sends.isEmpty() && out.hasRoom()) {
      Transfer message = Objects.requireNonNull(sends.peek());
      byte[] content = new byte[(int) message.bytes()];
      message.copyTo(MemorySegment.ofArray(content), 0, 0, content.length);
      out.send(content);
      sends.sent();
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    port.remove(this);
    if (inOrder && isConnected()) {
      out.send(Wire.END);
    } else {
      out.cut();
    }
    in.leave();
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    port.remove(this);
    in.cut();
    out.cut();
    broken(failure(what, cause));
  }
}
