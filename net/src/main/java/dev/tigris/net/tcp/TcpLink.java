// Over 400 lines: how messages arrive and how a connection ends follow from the same few fields.
package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.BreakingException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Region;
import dev.tigris.net.socket.Staging;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import java.util.Objects;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// One socket. [TcpSender] is how messages leave. What has arrived is read into a buffer and taken
/// from there; what is missing of a long message then is read to where it belongs.
final class TcpLink extends Link {
  /// How often to read in a row before others get their turn.
  private static final int MOST_READS = 16;

  private final TcpPort port;
  private final Wire wire;
  private final String peer;
  private final @Nullable Principal principal;
  private final @Nullable SelectionKey key;
  private final TcpSender outgoing;
  private final long maximumIncomingBytes;

  /// What was read and not yet taken; null if that is nothing. After a long message it has no more
  /// than the header and the beginning of another, which is what is likely to come.
  private @Nullable Staging in;

  private final Frame frame = new Frame();
  private ReceiveStage stage = ReceiveStage.HEADER;
  private int inSequence;
  private long taken;
  /// Whether the message that is arriving, or was the last to, is long.
  private boolean isLong;
  private boolean endOfStream;

  /// Then the stream only seems to have ended.
  private boolean tlsHasFailed;

  private boolean lingering;
  private boolean shutDown;
  private long lingersSince;
  private boolean released;

  TcpLink(TcpPort port, Wire wire, String peer, Attributes attributes, long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.wire = wire;
    this.peer = peer;
    this.principal = wire.peer();
    this.outgoing = new TcpSender(port, wire, sends);
    this.maximumIncomingBytes = attributes.maximumMessageBytes();
    SelectionKey registered = null;
    try {
      registered = port.add(this);
      if (wire.hasMore()) {
        port.comeAgain();
      }
    } catch (IOException e) {
      TcpCarrier.closeQuietly(wire.channel());
      released = true;
      broken(failure("cannot be waited for", e));
    }
    this.key = registered;
  }

  SocketChannel channel() {
    return wire.channel();
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public @Nullable Principal principal() {
    return principal;
  }

  @Override
  public boolean takesArrays() {
    return true;
  }

  @Override
  public void register(Region region) {
    if (region.isSteady()) { // others go through the buffer
      region.registration(new Windows(region));
    }
  }

  @Override
  public void deregister(Region region) {}

  @Override
  public void ring() {
    if (!released) {
      try {
        write();
        if (stage == ReceiveStage.WAITING) {
          read();
        }
        wantWhatIsMissing();
      } catch (IOException e) {
        lost(e);
      } catch (BreakingException e) {
        failOf(e);
      }
    }
  }

  /// Moves what can be moved.
  void progress() {
    if (released) {
      return;
    }
    try {
      if (lingering) {
        linger();
      } else {
        if (outgoing.isPending()) {
          write();
        }
        read();
        wantWhatIsMissing();
      }
    } catch (IOException e) {
      lost(e);
    } catch (BreakingException e) {
      failOf(e);
    }
  }

  /// A system call has failed, or TLS. If it was one to send, what the peer has sent before it
  /// closed, in order perhaps, may be there still.
  private void lost(IOException cause) {
    tlsHasFailed |= cause instanceof SSLException;
    try {
      if (!released && !lingering) {
        read();
      }
    } catch (IOException same) {
      // the connection is lost either way
    }
    fail("the connection is lost: " + TlsWire.describe(cause), cause);
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    release();
    broken(failure(what, cause));
  }

  private void write() throws IOException {
    for (int complete = outgoing.write(); complete > 0; complete--) {
      sends.sent();
    }
  }

  // ---- receiving

  private void read() throws IOException {
    for (int reads = 0; reads < MOST_READS; reads++) {
      take();
      if (released) {
        return;
      }
      if (endOfStream) {
        if (stage != ReceiveStage.WAITING && !tlsHasFailed) {
          fail("it ended without a goodbye: the peer was killed, or has aborted");
        }
        return;
      }
      boolean more = (stage == ReceiveStage.FILLING && isInPlace()) ? readBody() : readAhead();
      if (!more && !endOfStream) {
        break;
      }
    }
    take(); // what is left in the buffer afterwards waits for a receive, and not for another read
  }

  /// Reads into `in`; returns whether there may be more.
  private boolean readAhead() throws IOException {
    int room = readAheadBytes() - (in == null ? 0 : in.bytes().remaining());
    if (room <= 0) {
      return false;
    }
    Staging staging = in == null ? port.take() : in;
    ByteBuffer bytes = staging.bytes();
    if (in != null) {
      bytes.compact();
    }
    bytes.limit(bytes.position() + room);
    int n = -1;
    try {
      n = wire.read(bytes);
    } finally {
      in = staging;
      bytes.flip();
      giveBackEmpty();
    }
    endOfStream = n < 0;
    return n == room;
  }

  private void giveBackEmpty() {
    if (in != null && !in.bytes().hasRemaining()) {
      port.giveBack(in);
      in = null;
    }
  }

  /// Reads the rest of a message to where it belongs, or the rest of one of its ranges; returns
  /// whether there may be more.
  private boolean readBody() throws IOException {
    ByteBuffer window = Windows.of(Objects.requireNonNull(receives.peek()), taken, frame.length);
    int n = wire.read(window);
    endOfStream = n < 0;
    taken += Math.max(0, n);
    return !window.hasRemaining();
  }

  /// Whether the rest of the message that is arriving is read to where it belongs.
  private boolean isInPlace() {
    return isLong && Windows.areSafeFor(Objects.requireNonNull(receives.peek()));
  }

  /// How much `in` may hold.
  private int readAheadBytes() {
    return (isLong
            && stage != ReceiveStage.SKIPPING
            && (stage != ReceiveStage.FILLING || isInPlace()))
        ? Frame.HEADER_BYTES + TcpSender.BEGINNING_BYTES
        : Staging.BYTES;
  }

  /// Takes what is in `in`, as far as that is possible.
  private void take() {
    try {
      while (!released && takeStage()) {
        // and the next one
      }
    } catch (BreakingException e) {
      failOf(e);
    }
    giveBackEmpty();
  }

  /// Returns whether it got to the next stage.
  private boolean takeStage() {
    int there = in == null ? 0 : in.bytes().remaining();
    switch (stage) {
      case HEADER -> {
        if (there < Frame.HEADER_BYTES) {
          return false;
        }
        takeHeader(Objects.requireNonNull(in).bytes());
      }
      case WAITING -> {
        ReceiveStage next = receives.arriving(frame.length, frame.tag, frame.type);
        if (next == ReceiveStage.WAITING) {
          return false;
        }
        stage = next;
      }
      case FILLING, SKIPPING -> {
        long n = Math.min(there, frame.length - taken);
        if (n > 0) {
          Staging staging = Objects.requireNonNull(in);
          if (stage == ReceiveStage.FILLING) {
            staging.moveTo(Objects.requireNonNull(receives.peek()), taken, n);
          } else {
            staging.bytes().position(staging.bytes().position() + (int) n);
          }
          taken += n;
        }
        if (taken < frame.length) {
          return false;
        }
        if (stage == ReceiveStage.FILLING) {
          receives.received(frame.length, frame.tag, frame.type);
        }
        stage = ReceiveStage.HEADER;
      }
    }
    return true;
  }

  private void takeHeader(ByteBuffer bytes) {
    frame.take(bytes, maximumIncomingBytes, inSequence++);
    if (frame.goodbye) {
      release();
      ended();
    } else {
      stage = ReceiveStage.WAITING;
      taken = 0;
      isLong = frame.length > TcpSender.SHORT_BYTES;
    }
  }

  // ---- waiting and closing

  /// Tells the selector what this link waits for.
  private void wantWhatIsMissing() {
    if (released || key == null) {
      return;
    }
    boolean hasRoom = in == null || in.bytes().remaining() < readAheadBytes();
    if (hasRoom && !endOfStream && wire.hasMore()) {
      port.comeAgain();
    }
    int wanted =
        (hasRoom && !endOfStream ? SelectionKey.OP_READ : 0)
            | (outgoing.isPending() ? SelectionKey.OP_WRITE : 0);
    if (wanted != key.interestOps()) {
      key.interestOps(wanted);
      port.lookAgain();
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (released) {
      return;
    }
    if (!inOrder) {
      try {
        wire.channel()
            .setOption(StandardSocketOptions.SO_LINGER, 0); // so that the peer hears of it now
      } catch (IOException alreadyLost) {
        // the peer knows
      }
      release();
      port.closeRemoved();
      return;
    }
    outgoing.sayGoodbye();
    lingering = true;
    lingersSince = System.nanoTime();
    port.linger(this);
    progress();
  }

  /// Writes the goodbye, and reads on until the peer has closed: a socket that is closed with
  /// something unread takes back what the peer has not read.
  private void linger() throws IOException {
    write();
    if (!outgoing.isPending() && !shutDown) {
      wire.endOutput();
      shutDown = true;
    }
    Staging ignored = in == null ? port.take() : in;
    in = ignored;
    int n = 1;
    for (int reads = 0; n > 0 && reads < MOST_READS; reads++) {
      n = wire.channel().read(ignored.bytes().clear());
    }
    if (n < 0) {
      release();
    } else if (key != null) {
      key.interestOps(SelectionKey.OP_READ | (shutDown ? 0 : SelectionKey.OP_WRITE));
    }
  }

  /// Whether it was closed so long ago that the peer is given up.
  boolean isOverdue() {
    return System.nanoTime() - lingersSince > Port.LINGER_NANOS;
  }

  /// Closes the socket, and lets go of everything that belongs to it.
  void release() {
    if (released) {
      return;
    }
    released = true;
    if (key != null) {
      key.cancel();
    }
    TcpCarrier.closeQuietly(wire.channel());
    port.remove(this);
    if (in != null) {
      port.giveBack(in);
      in = null;
    }
    outgoing.release();
  }

  @Override
  public void checkInvariants() {
    outgoing.checkInvariants();
    if (taken > frame.length) {
      throw new IllegalStateException("more taken than was sent");
    }
  }
}
