package dev.tigris.net.tcp;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Door;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// A listening socket, and the connections that have not yet said what they want.
///
/// ```text
///                 a whole request
///   connected ----------------------> ready ----> returned to the application
///       |
///       '--> closed: garbage, end of stream, or no request within [#HANDSHAKE_NANOS]
/// ```
final class TcpDoor implements Door {
  /// How long a peer may take for its request.
  static final long HANDSHAKE_NANOS = 5_000_000_000L;

  /// How many connections may be without a request. When there are more, the oldest is closed: so
  /// that those who say nothing keep nobody else out.
  private static final int MOST_SILENT = 1024;

  private final String address;
  private final long handshakeNanos;
  private final ServerSocketChannel server;
  private final Selector selector;
  private final ArrayDeque<Silent> silent = new ArrayDeque<>();
  private final ArrayDeque<Request> ready = new ArrayDeque<>();
  private volatile boolean woken;

  /// A connection whose request has not arrived completely.
  private record Silent(SocketChannel channel, ByteBuffer request, long since) {}

  TcpDoor(String address, long handshakeNanos) {
    this.handshakeNanos = handshakeNanos;
    InetSocketAddress wanted = TcpAddress.parse(address);
    try {
      this.server = ServerSocketChannel.open();
      this.selector = Selector.open();
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(wanted, MOST_SILENT);
      server.configureBlocking(false);
      server.register(selector, SelectionKey.OP_ACCEPT);
      this.address = TcpAddress.format((InetSocketAddress) server.getLocalAddress());
    } catch (IOException e) {
      throw new NetException("listen at", address, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public @Nullable Knock next(long timeoutNanos) {
    long start = System.nanoTime();
    try {
      while (true) {
        Request first = ready.poll();
        if (first != null) {
          return first;
        }
        long left = timeoutNanos - (System.nanoTime() - start);
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
          return null;
        }
        if (woken) {
          woken = false;
          return null;
        }
        selector.select(key -> {}, millis(Math.min(left, untilForgotten())));
        forgetTheSilent();
        for (SocketChannel next = server.accept(); next != null; next = server.accept()) {
          greet(next);
        }
        hear();
        selector.selectNow(key -> {}); // lets go of the connections that are no longer ours
      }
    } catch (IOException e) {
      throw new NetException("listen at", address, String.valueOf(e.getMessage()), e);
    }
  }

  private static long millis(long nanos) {
    return Math.max(1, nanos / 1_000_000);
  }

  private long untilForgotten() {
    Silent oldest = silent.peek();
    return oldest == null
        ? Long.MAX_VALUE
        : Math.max(0, handshakeNanos - (System.nanoTime() - oldest.since));
  }

  private void forgetTheSilent() {
    for (Silent oldest = silent.peek(); oldest != null; oldest = silent.peek()) {
      if (silent.size() <= MOST_SILENT && System.nanoTime() - oldest.since < handshakeNanos) {
        return;
      }
      silent.poll();
      TcpCarrier.closeQuietly(oldest.channel);
    }
  }

  private void greet(SocketChannel channel) {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.register(selector, SelectionKey.OP_READ);
      silent.add(new Silent(channel, Hello.buffer(), System.nanoTime()));
    } catch (IOException goneAlready) {
      TcpCarrier.closeQuietly(channel);
    }
  }

  /// Reads what has arrived on the connections that are silent still.
  private void hear() {
    for (Iterator<Silent> each = silent.iterator(); each.hasNext(); ) {
      Silent next = each.next();
      int read;
      try {
        read = next.channel.read(next.request);
      } catch (IOException reset) {
        read = -1;
      }
      if (read < 0) {
        TcpCarrier.closeQuietly(next.channel);
        each.remove();
      } else if (!next.request.hasRemaining()) {
        each.remove();
        heard(next.channel, Hello.from(next.request));
      }
    }
  }

  private void heard(SocketChannel channel, @Nullable Hello request) {
    SelectionKey key = channel.keyFor(selector);
    if (key != null) {
      key.cancel();
    }
    if (request == null) {
      TcpCarrier.closeQuietly(channel);
    } else if (request.version() != Hello.VERSION) {
      answer(channel, request.answered(Hello.Answer.OTHER_VERSION, 0));
      TcpCarrier.closeQuietly(channel);
    } else {
      ready.add(new Request(channel, request));
    }
  }

  /// Whether the answer could be sent: the socket's buffer is empty, so there is room.
  private static boolean answer(SocketChannel channel, Hello answer) {
    try {
      return channel.write(answer.toBytes()) == Hello.BYTES;
    } catch (IOException goneAlready) {
      return false;
    }
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
  public void wake() {
    woken = true;
    selector.wakeup();
  }

  @Override
  public void close() {
    for (Silent left : silent) {
      TcpCarrier.closeQuietly(left.channel);
    }
    silent.clear();
    for (Request left = ready.poll(); left != null; left = ready.poll()) {
      left.reject();
    }
    try {
      selector.close();
      server.close();
    } catch (IOException e) {
      throw new NetException("stop listening at", address, String.valueOf(e.getMessage()), e);
    }
  }

  /// A whole request.
  private record Request(SocketChannel channel, Hello hello, String peer) implements Knock {
    Request(SocketChannel channel, Hello hello) {
      this(channel, hello, nameOf(channel));
    }

    @Override
    public long tag() {
      return hello.tag();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      boolean answered =
          answer(channel, hello.answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes()));
      TcpLink link =
          new TcpLink((TcpPort) port, channel, peer, attributes, hello.maximumMessageBytes());
      if (!answered) {
        link.fail("the peer has given up connecting", null);
      }
      return link;
    }

    @Override
    public void reject() {
      answer(channel, hello.answered(Hello.Answer.REJECTED, 0));
      TcpCarrier.closeQuietly(channel);
    }
  }
}
