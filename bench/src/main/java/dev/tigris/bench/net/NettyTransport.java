package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Netty as its users write it: frames with a length, pooled direct buffers, writes that are
/// flushed together, everything on one event loop.
///
/// ```text
///   0        4      8
///   +--------+------+-----------+
///   | length | tag  |  payload  |   big-endian, as Netty's decoder has it
///   +--------+------+-----------+
/// ```
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class NettyTransport implements Transport {
  private static final int PATIENCE_SECONDS = 30;
  private static final int HEADER_BYTES = 8;
  private static final int LARGEST_BYTES = 1 << 24;
  private static final int READ_BYTES = 64 << 10;

  private final NettyKind kind;
  private final EventLoopGroup loop;
  private @Nullable Channel connected;
  private final Client client = new Client();

  NettyTransport(NettyKind kind) {
    this.kind = kind;
    this.loop = SpinningEventLoop.group(kind.handler());
  }

  private static ByteBuf message(Channel channel, int tag, int bytes, int number) {
    ByteBuf message = channel.alloc().directBuffer(HEADER_BYTES + bytes);
    message.writeInt(bytes).writeInt(tag);
    message.setInt(HEADER_BYTES, number).setInt(HEADER_BYTES + bytes - Integer.BYTES, number);
    return message.writerIndex(HEADER_BYTES + bytes);
  }

  /// Returns the number.
  private static int check(ByteBuf message) {
    int number = message.getInt(message.readerIndex() + HEADER_BYTES);
    if (message.getInt(message.writerIndex() - Integer.BYTES) != number) {
      throw new WrongResultException("a message has arrived damaged");
    }
    return number;
  }

  private static ChannelInitializer<Channel> initializer(Receiver receiver) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel
            .pipeline()
            .addLast(
                new LengthFieldBasedFrameDecoder(LARGEST_BYTES, 0, Integer.BYTES, Integer.BYTES, 0))
            .addLast(receiver.handler());
      }
    };
  }

  /// What takes messages.
  private interface Receiver {
    /// Takes a whole frame, and releases it.
    void receive(Channel channel, ByteBuf message);

    default ChannelInboundHandlerAdapter handler() {
      return new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
          SpinningEventLoop.active(context.channel());
          receive(context.channel(), (ByteBuf) message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
          context.flush();
        }
      };
    }
  }

  // ---- the side that answers

  @Override
  public String listen(String address) throws Exception {
    Channel server =
        new ServerBootstrap()
            .group(loop)
            .channel(kind.server())
            .childHandler(initializer(new Server()))
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
            .bind(socketAddress(address))
            .sync()
            .channel();
    InetSocketAddress actual = (InetSocketAddress) server.localAddress();
    return actual.getAddress().getHostAddress() + ":" + actual.getPort();
  }

  private static InetSocketAddress socketAddress(String address) {
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  @Override
  public void serve() throws InterruptedException {
    loop.terminationFuture().await();
  }

  private static final class Server implements Receiver {
    private int messages;

    @Override
    public void receive(Channel channel, ByteBuf message) {
      int tag = message.getInt(Integer.BYTES + message.readerIndex());
      check(message);
      if (tag == ECHO) {
        channel.write(message);
        return;
      }
      message.release();
      messages++;
      if (tag == LAST) {
        channel.write(message(channel, LAST, Integer.BYTES, messages));
        messages = 0;
      }
    }
  }

  // ---- the side that measures

  private Channel connect(String address) throws InterruptedException {
    Channel channel = connected;
    if (channel == null) {
      channel =
          new Bootstrap()
              .group(loop)
              .channel(kind.socket())
              .handler(initializer(client))
              .option(ChannelOption.TCP_NODELAY, true)
              .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
              .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
              .connect(socketAddress(address))
              .sync()
              .channel();
      connected = channel;
    }
    return channel;
  }

  @Override
  public void disconnect() throws InterruptedException {
    if (connected != null) {
      connected.close().sync();
    }
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) throws Exception {
    PingPong task = new PingPong(connect(address), bytes, count);
    return RoundTrips.of(client.run(task, task.done), 0);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) throws Exception {
    Bandwidth task = new Bandwidth(connect(address), bytes, count);
    return new OneWay(client.run(task, task.done), 0, 0);
  }

  /// What is being measured: a step for each message that arrives.
  private interface Task {
    void start();

    void step(ByteBuf message);
  }

  private static final class Client implements Receiver {
    private @Nullable Task task;

    <T> T run(Task next, CompletableFuture<T> done)
        throws InterruptedException, ExecutionException, TimeoutException {
      task = next; // handed to the loop with the task
      next.start();
      return done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void receive(Channel channel, ByteBuf message) {
      Task running = task;
      if (running == null) {
        throw new IllegalStateException("a message has arrived unasked");
      }
      running.step(message);
    }
  }

  private static final class PingPong implements Task {
    final CompletableFuture<long[]> done = new CompletableFuture<>();
    private final Channel channel;
    private final int bytes;
    private final long[] nanos;
    private int trips;
    private long before;

    PingPong(Channel channel, int bytes, int count) {
      this.channel = channel;
      this.bytes = bytes;
      this.nanos = new long[count];
    }

    @Override
    public void start() {
      channel.eventLoop().execute(this::first);
    }

    private void first() {
      before = System.nanoTime();
      send();
    }

    private void send() {
      channel.writeAndFlush(message(channel, ECHO, bytes, trips), channel.voidPromise());
    }

    @Override
    public void step(ByteBuf message) {
      if (check(message) != trips) {
        done.completeExceptionally(new WrongResultException("another message came back"));
      }
      message.release();
      long after = System.nanoTime();
      nanos[trips++] = after - before;
      before = after;
      if (trips < nanos.length) {
        send();
      } else {
        done.complete(nanos);
      }
    }
  }

  private static final class Bandwidth implements Task, ChannelFutureListener {
    final CompletableFuture<Long> done = new CompletableFuture<>();
    private final Channel channel;
    private final int bytes;
    private final int count;
    private final int most;
    private int sent;
    private int underWay;
    private long start;

    Bandwidth(Channel channel, int bytes, int count) {
      this.channel = channel;
      this.bytes = bytes;
      this.count = count;
      this.most = Transport.countFor(bytes);
    }

    @Override
    public void start() {
      channel.eventLoop().execute(this::first);
    }

    private void first() {
      start = System.nanoTime();
      fill();
    }

    /// Writes until as many are under way as may be, and flushes them together.
    private void fill() {
      boolean any = false;
      while (underWay < most && sent < count) {
        int tag = sent == count - 1 ? LAST : ONE_WAY;
        channel.write(message(channel, tag, bytes, sent)).addListener(this);
        sent++;
        underWay++;
        any = true;
      }
      if (any) {
        channel.flush();
      }
    }

    @Override
    public void operationComplete(ChannelFuture written) {
      SpinningEventLoop.active(channel);
      if (!written.isSuccess()) {
        done.completeExceptionally(written.cause());
        return;
      }
      underWay--;
      if (underWay == most / 2 || underWay == 0) {
        channel.eventLoop().execute(this::fill);
      }
    }

    @Override
    public void step(ByteBuf message) {
      long nanos = System.nanoTime() - start;
      if (check(message) == count) {
        done.complete(nanos);
      } else {
        done.completeExceptionally(new WrongResultException("messages were lost"));
      }
      message.release();
    }
  }
}
