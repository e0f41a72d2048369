package dev.tigris.bench.call;

import dev.tigris.bench.WrongResultException;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// grpc-java over Netty, in its fastest form: methods run on the thread of the transport, messages
/// are arrays that nothing encodes, and processes of one machine talk over a Unix socket.
final class GrpcCaller implements Caller {
  /// How messages go.
  enum Way {
    /// By TCP: over epoll, where Netty has it.
    TCP,
    /// By a Unix socket over epoll, or by TCP where Netty does not have that.
    LOCAL
  }

  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName("Echo", "echo"))
          .setRequestMarshaller(new Arrays())
          .setResponseMarshaller(new Arrays())
          .build();

  private final boolean isLocal;
  private @Nullable Server server;
  private @Nullable ManagedChannel channel;
  private @Nullable EventLoopGroup loop;

  GrpcCaller(Way way) {
    this.isLocal = way == Way.LOCAL && Epoll.isAvailable();
  }

  /// Passes arrays on.
  private static final class Arrays implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private EventLoopGroup loop() {
    EventLoopGroup made = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    loop = made;
    return made;
  }

  @SuppressWarnings("NullAway") // null takes an option away
  private NettyServerBuilder builder(Path socket) {
    if (!isLocal) {
      return NettyServerBuilder.forAddress(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
    EventLoopGroup its = loop();
    return NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
        .channelType(EpollServerDomainSocketChannel.class)
        .withChildOption(ChannelOption.SO_KEEPALIVE, null) // such a socket has none
        .bossEventLoopGroup(its)
        .workerEventLoopGroup(its);
  }

  @Override
  public String serve() throws IOException {
    Path socket = CallWorkerMain.folder().resolve("grpc");
    Server made =
        builder(socket)
            .directExecutor()
            .addService(
                ServerServiceDefinition.builder("Echo")
                    .addMethod(
                        ECHO,
                        ServerCalls.<byte[], byte[]>asyncUnaryCall(
                            (request, observer) -> {
                              observer.onNext(request);
                              observer.onCompleted();
                            }))
                    .build())
            .build()
            .start();
    server = made;
    return isLocal ? socket.toString() : "127.0.0.1:" + made.getPort();
  }

  @Override
  @SuppressWarnings("NullAway") // null takes an option away
  public void connect(String address) {
    NettyChannelBuilder builder =
        isLocal
            ? NettyChannelBuilder.forAddress(new DomainSocketAddress(address))
                .channelType(EpollDomainSocketChannel.class)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .eventLoopGroup(loop())
            : NettyChannelBuilder.forTarget("dns:///" + address);
    channel = builder.usePlaintext().directExecutor().build();
  }

  private ManagedChannel channel() {
    ManagedChannel its = channel;
    if (its == null) {
      throw new IllegalStateException("it is not connected");
    }
    return its;
  }

  private static byte[] ask(int bytes, long number) {
    byte[] ask = new byte[bytes];
    ByteBuffer.wrap(ask).putLong(0, number);
    return ask;
  }

  private static long numberOf(byte[] back, int bytes) {
    if (back.length != bytes) {
      throw new IllegalStateException("%d bytes have come back".formatted(back.length));
    }
    return ByteBuffer.wrap(back).getLong(0);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  @Override
  public long call(int bytes, long number) {
    return numberOf(
        ClientCalls.blockingUnaryCall(channel(), ECHO, options(), ask(bytes, number)), bytes);
  }

  /// Sees that replies come, and frees the place of each.
  private static final class Replies implements StreamObserver<byte[]> {
    private final Semaphore places;
    private final AtomicReference<@Nullable Throwable> failure;
    private final int bytes;
    private final long number;

    Replies(
        Semaphore places, AtomicReference<@Nullable Throwable> failure, int bytes, long number) {
      this.places = places;
      this.failure = failure;
      this.bytes = bytes;
      this.number = number;
    }

    @Override
    public void onNext(byte[] back) {
      if (numberOf(back, bytes) != number) {
        failure.set(new WrongResultException("another number has come back than was sent"));
      }
    }

    @Override
    public void onError(Throwable e) {
      failure.set(e);
      places.release();
    }

    @Override
    public void onCompleted() {
      places.release();
    }
  }

  @Override
  public void many(int bytes, int count) throws InterruptedException {
    Semaphore places = new Semaphore(OUTSTANDING);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < count; i++) {
      places.acquire();
      ClientCalls.asyncUnaryCall(
          channel().newCall(ECHO, options()),
          ask(bytes, i),
          new Replies(places, failure, bytes, i));
    }
    places.acquire(OUTSTANDING);
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IllegalStateException("a call has failed", failed);
    }
  }

  @Override
  public void close() {
    ManagedChannel connected = channel;
    if (connected != null) {
      connected.shutdownNow();
    }
    Server serving = server;
    if (serving != null) {
      serving.shutdownNow();
    }
    EventLoopGroup its = loop;
    if (its != null) {
      var _ = its.shutdownGracefully();
    }
  }
}
