package dev.tigris.net.provider;

import java.util.function.IntConsumer;

/// A port whose waits end when one of its files can be read, as sockets and rings of the kernel
/// can. Linux only.
///
/// *This class may still change between minor versions.*
public abstract class DescriptorPort extends Port {
  private final DescriptorWait wait = new DescriptorWait();
  private final Port[] alone = {this};

  /// Makes a port for the calling thread.
  ///
  /// @throws dev.tigris.net.NetException if the process may not have another open file
  protected DescriptorPort() {}

  @Override
  public final boolean waitsByDescriptor() {
    return true;
  }

  @Override
  public abstract long beginWait(IntConsumer files);

  @Override
  public final void park(long nanos) {
    wait.park(nanos, alone);
  }

  @Override
  public final void wake() {
    wait.wake();
  }

  /// Begins to close: lets no thread but the calling one wait from now on, and waits until another
  /// has left.
  protected final void closeToOthers() {
    wait.closeToOthers();
  }

  /// Closes what is waited in. The last that [#close] calls.
  protected final void closeWait() {
    wait.close();
  }
}
