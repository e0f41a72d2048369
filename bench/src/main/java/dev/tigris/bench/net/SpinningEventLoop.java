package dev.tigris.bench.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;

/// An event loop of Netty's that asks for events again and again for a while before it blocks, as
/// long as Tigris does. That is not Netty's habit; without it a round trip would be mostly the time
/// that the operating system takes to wake a thread, and the comparison be one of habits.
final class SpinningEventLoop extends SingleThreadIoEventLoop {
  private static final long SPIN_NANOS = 50_000;

  private long lastActive;

  private SpinningEventLoop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory factory) {
    super(parent, executor, factory);
  }

  /// A group of one.
  static EventLoopGroup group(IoHandlerFactory factory) {
    return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("netty", true), factory) {
      @Override
      protected IoEventLoop newChild(
          Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
        return new SpinningEventLoop(this, executor, ioHandlerFactory);
      }
    };
  }

  /// Something has happened, so that more may soon. Called on the channel's loop.
  static void active(Channel channel) {
    ((SpinningEventLoop) channel.eventLoop()).lastActive = System.nanoTime();
  }

  /// A loop that has tasks does not block.
  @Override
  protected boolean hasTasks() {
    return super.hasTasks() || (inEventLoop() && System.nanoTime() - lastActive < SPIN_NANOS);
  }
}
