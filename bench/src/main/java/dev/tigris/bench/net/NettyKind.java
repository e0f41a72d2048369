package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ways in which Netty reaches sockets.
enum NettyKind {
  NIO(NioSocketChannel.class, NioServerSocketChannel.class),
  EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
  IO_URING(IoUringSocketChannel.class, IoUringServerSocketChannel.class);

  private final Class<? extends SocketChannel> socket;
  private final Class<? extends ServerChannel> server;

  NettyKind(Class<? extends SocketChannel> socket, Class<? extends ServerChannel> server) {
    this.socket = socket;
    this.server = server;
  }

  Class<? extends SocketChannel> socket() {
    return socket;
  }

  Class<? extends ServerChannel> server() {
    return server;
  }

  IoHandlerFactory handler() {
    return switch (this) {
      case NIO -> NioIoHandler.newFactory();
      case EPOLL -> EpollIoHandler.newFactory();
      case IO_URING -> IoUringIoHandler.newFactory();
    };
  }

  private @Nullable Throwable unavailability() {
    return switch (this) {
      case NIO -> null;
      case EPOLL -> Epoll.unavailabilityCause();
      case IO_URING -> IoUring.unavailabilityCause();
    };
  }

  /// As it stands in the results.
  String title() {
    return switch (this) {
      case NIO -> Bar.NETTY_NIO;
      case EPOLL -> Bar.NETTY_EPOLL;
      case IO_URING -> Bar.NETTY_IO_URING;
    };
  }

  Contestant contestant() {
    return new Contestant(
        title(),
        Optional.ofNullable(unavailability()).map(String::valueOf),
        Contestant.Manner.STANDING,
        place ->
            ProcessPair.start(
                title(),
                Transports.command(Transports.netty(this)),
                place.address() + ":0",
                place));
  }
}
