package dev.tigris.verify.simulator;

import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Transfer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One end of a connection over wires.
final class WireLink extends Link {
  private static final int TAG = 0;

  /// A message of so many bytes is lent, in a network that lends: none with control in it is.
  private static final int LEAST_LENT_BYTES = 2500;

  private final WirePort port;
  private final Wire in;
  private final Wire out;
  private final String peer;

  /// The first of the posted sends, if it is lent and on its way.
  private @Nullable WireMessage lent;

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
    for (WireMessage next = in.first(); next != null && isConnected(); next = in.first()) {
      if (next == WireMessage.END) {
        in.take();
        port.remove(this);
        ended();
        return;
      }
      Transfer first = receives.peek();
      ReceiveStage stage =
          receives.arriving(next.bytes(), TAG, first == null ? DataType.MIXED : first.memoryType());
      if (stage == ReceiveStage.WAITING) {
        return;
      }
      in.take();
      if (stage == ReceiveStage.FILLING) {
        Transfer into = Objects.requireNonNull(first);
        into.copyFrom(next.content(), 0, 0, next.bytes());
        receives.received(next.bytes(), TAG, into.memoryType());
      }
    }
  }

  /// Sends what there is room for. A lent message holds up those behind it until it is taken.
  private void send() {
    while (isConnected() && !sends.isEmpty()) {
      WireMessage first = lent;
      if (first == null) {
        if (!out.hasRoom()) {
          return;
        }
        Transfer message = Objects.requireNonNull(sends.peek());
        boolean isLent = port.lends() && message.bytes() >= LEAST_LENT_BYTES;
        first = isLent ? WireMessage.lend(message) : WireMessage.copyOf(message);
        out.send(first);
      }
      if (!first.isSettled()) {
        lent = first;
        return;
      }
      lent = null;
      sends.sent();
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    port.remove(this);
    if (inOrder && isConnected()) {
      out.send(WireMessage.END);
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
