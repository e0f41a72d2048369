package dev.tigris.bench.call;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// grpc-java over Netty, in its fastest form: methods run on the thread of the transport, and
/// messages are arrays that nothing encodes.
final class GrpcCaller implements Caller {
  static final String NAME = "grpc";

  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName("Echo", "echo"))
          .setRequestMarshaller(new Arrays())
          .setResponseMarshaller(new Arrays())
          .build();

  private @Nullable Server server;
  private @Nullable ManagedChannel channel;

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

  @Override
  public String serve() throws IOException {
    Server made =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
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
    return "127.0.0.1:" + made.getPort();
  }

  @Override
  public void connect(String address) {
    channel =
        NettyChannelBuilder.forTarget("dns:///" + address).usePlaintext().directExecutor().build();
  }

  @Override
  public long call(int bytes, long number) {
    ManagedChannel its = channel;
    if (its == null) {
      throw new IllegalStateException("it is not connected");
    }
    byte[] ask = new byte[bytes];
    ByteBuffer.wrap(ask).putLong(0, number);
    byte[] back =
        ClientCalls.blockingUnaryCall(
            its, ECHO, CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS), ask);
    if (back.length != bytes) {
      throw new IllegalStateException("%d bytes have come back".formatted(back.length));
    }
    return ByteBuffer.wrap(back).getLong(0);
  }

  @Override
  public void close() {
    ManagedChannel its = channel;
    if (its != null) {
      its.shutdownNow();
    }
    Server serving = server;
    if (serving != null) {
      serving.shutdownNow();
    }
  }
}
