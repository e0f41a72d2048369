package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.socket.TcpAddress;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import java.util.Iterator;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A listening socket, and the connections that have not yet said what they want. With TLS, a peer
/// that is not trusted is closed too.
final class TcpListener extends HandshakeListener<TcpListener.Unheard> {
  private static final System.Logger LOG = System.getLogger(TcpListener.class.getName());

  /// How often in a row to read from a connection that was refused.
  private static final int MOST_DISCARDS = 64;

  /// After so long no other is listened to before the next look: with TLS each may take some
  /// milliseconds.
  private static final long SHARE_NANOS = 10_000_000;

  private final String address;
  private final @Nullable Tls tls;
  private final ServerSocketChannel server;
  private final Selector selector;

  /// Whether there was a connection to be taken when the selector was last asked.
  private boolean waiting;

  /// Counts how often all of the silent were listened to.
  private long rounds;

  /// Whether a round has begun in which some had no turn yet. No others are greeted meanwhile, who
  /// would keep those from theirs.
  private boolean isCut;

  /// Whether some have something that was left for the next round, of which the selector may say
  /// nothing.
  private boolean hasMore;

  /// A connection whose request has not arrived completely.
  static final class Unheard extends Silent {
    final Wire wire;
    final SelectionKey key;
    final ByteBuffer request = Hello.buffer();

    /// Whether it was told why it is not trusted; it is closed when it has read that.
    boolean refused;

    /// The last round in which it was listened to.
    long round;

    Unheard(Wire wire, SelectionKey key) {
      this.wire = wire;
      this.key = key;
    }

    @Override
    protected void close() {
      TcpCarrier.closeQuietly(wire.channel());
    }
  }

  TcpListener(String address, long handshakeNanos, @Nullable Tls tls) {
    super(handshakeNanos);
    this.tls = tls;
    InetSocketAddress wanted = TcpAddress.parse(address);
    ServerSocketChannel listening = null;
    Selector all = null;
    try {
      listening =
          wanted.getAddress() instanceof Inet4Address // else 0.0.0.0 is an address of IPv6, too
              ? ServerSocketChannel.open(StandardProtocolFamily.INET)
              : ServerSocketChannel.open();
      listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      listening.bind(wanted, MOST_SILENT);
      listening.configureBlocking(false);
      all = Selector.open();
      listening.register(all, SelectionKey.OP_ACCEPT);
      this.address = TcpAddress.format((InetSocketAddress) listening.getLocalAddress());
      this.server = listening;
      this.selector = all;
    } catch (IOException e) {
      TcpCarrier.closeQuietly(listening);
      TcpCarrier.closeQuietly(all);
      throw TcpAddress.refused(address, e);
    }
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  protected void look(long nanos) {
    try {
      if (nanos <= 0 || isCut || hasMore) {
        selector.selectNow(key -> {});
      } else {
        selector.select(key -> {}, Math.max(1, nanos / 1_000_000));
      }
      NetException full = isCut ? null : greetAll();
      hear();
      forgetTheSilent();
      waiting = false;
      selector.selectNow(this::noteWhoWaits); // lets go of the connections that are no longer ours
      if (full != null && waiting) {
        makeRoom(full);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Where no file can be opened, the system says so to who accepts without a look for who waits.
  private void noteWhoWaits(SelectionKey key) {
    waiting |= key.isAcceptable();
  }

  private NetException failed(IOException cause) {
    return TcpAddress.failed(address, cause);
  }

  /// Takes the connections that wait; returns what has kept it from taking all of them.
  private @Nullable NetException greetAll() {
    try {
      for (SocketChannel next = server.accept(); next != null; next = server.accept()) {
        greet(next);
      }
      return null;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private void greet(SocketChannel channel) {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Wire wire = tls == null ? new PlainWire(channel) : TlsWire.accepting(channel, tls);
      silent.add(new Unheard(wire, channel.register(selector, SelectionKey.OP_READ)));
    } catch (IOException goneAlready) {
      TcpCarrier.closeQuietly(channel);
    }
  }

  /// Reads what has arrived on the connections that are silent still, for a while: whoever had no
  /// turn has it the next time.
  private void hear() {
    long start = System.nanoTime();
    if (!isCut) {
      rounds++;
      hasMore = false;
    }
    isCut = false;
    for (Iterator<Unheard> each = silent.iterator(); each.hasNext() && !isCut; ) {
      Unheard next = each.next();
      if (next.round < rounds) {
        next.round = rounds;
        int read = next.refused ? discard(next) : read(next);
        if (read < 0) {
          next.close();
          each.remove();
        } else if (!next.refused && !next.request.hasRemaining()) {
          each.remove();
          heard(next);
        } else if (!next.refused) {
          hasMore |= next.wire.hasMore() && !next.wire.isPending();
        }
        isCut = System.nanoTime() - start >= SHARE_NANOS;
      }
    }
  }

  /// Reads a part of the request, with TLS after each side has proved who it is.
  private static int read(Unheard from) {
    Wire wire = from.wire;
    try {
      int count = wire.read(from.request);
      from.key.interestOps(SelectionKey.OP_READ | (wire.isPending() ? SelectionKey.OP_WRITE : 0));
      return count;
    } catch (SSLException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "{0} is refused: {1}",
          nameOf(wire.channel()),
          TlsWire.describe(e));
      from.refused = true;
      return endOutput(wire.channel());
    } catch (OutOfMemoryError e) { // outside the heap, where encryption has its buffers
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is sent away: {1}: raise -XX:MaxDirectMemorySize",
          nameOf(wire.channel()),
          e.getMessage());
      return -1;
    } catch (IOException reset) {
      return -1;
    }
  }

  private static int endOutput(SocketChannel channel) {
    try {
      channel.shutdownOutput();
      return 0;
    } catch (IOException goneAlready) {
      return -1;
    }
  }

  /// Reads on: a socket that is closed with something unread takes back what the peer has not read.
  private static int discard(Unheard from) {
    try {
      int count = 1;
      for (int reads = 0; count > 0 && reads < MOST_DISCARDS; reads++) {
        count = from.wire.channel().read(from.request.clear());
      }
      return count;
    } catch (IOException reset) {
      return -1;
    }
  }

  private void heard(Unheard from) {
    from.key.cancel();
    heard(new Connected(from.wire, nameOf(from.wire.channel())), Hello.from(from.request));
  }

  private static String nameOf(SocketChannel channel) {
    try {
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      return remote == null ? "a peer that is gone" : TcpAddress.format(remote);
    } catch (IOException closed) {
      return "a peer that is gone";
    }
  }

  @Override
  protected void endWait() {
    selector.wakeup();
  }

  @Override
  public void close() {
    turnAway();
    try {
      selector.close();
      server.close();
    } catch (IOException e) {
      throw new NetException("stop listening at", address, String.valueOf(e.getMessage()), e);
    }
  }

  private record Connected(Wire wire, String name) implements Caller {
    @Override
    public @Nullable Principal principal() {
      return wire.peer();
    }

    @Override
    public Link link(Port port, Attributes attributes, long peerMaximum) {
      return new TcpLink((TcpPort) port, wire, name, attributes, peerMaximum);
    }

    @Override
    public boolean answer(Hello answer) {
      try {
        return wire.write(answer.toBytes()) == Hello.BYTES;
      } catch (IOException goneAlready) {
        return false;
      }
    }

    @Override
    public void close() {
      TcpCarrier.closeQuietly(wire.channel());
    }
  }
}
