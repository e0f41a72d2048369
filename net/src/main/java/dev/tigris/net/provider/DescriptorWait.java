package dev.tigris.net.provider;

import dev.tigris.net.NetException;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// One wait for all ports that name the files to wait for: whichever of the files can be read first
/// ends it. It allocates nothing while it waits, and works on Linux only.
///
/// Thread rule: one thread waits at a time. [#wake] and [#closeToOthers] may be called meanwhile.
///
/// *This class may still change between minor versions.*
public final class DescriptorWait implements AutoCloseable {
  private final PollSet set;

  /// Those that are waited for. Of the thread that waits.
  private Port[] waited = {};

  /// Held by the thread that waits, so that closing waits for it.
  private final ReentrantLock waiting = new ReentrantLock();

  /// The only thread that may wait still; null while any may.
  private volatile @Nullable Thread closing;

  // Kept, so that a wait makes no object.
  private final IntConsumer files;
  private final BooleanSupplier hasWork = this::hasWork;

  /// Makes one.
  ///
  /// @throws NetException if the process may not have another open file
  public DescriptorWait() {
    try {
      this.set = new PollSet();
    } catch (SystemException e) {
      throw new NetException("open", "a wait", String.valueOf(e.getMessage()), e);
    }
    this.files = set::add;
  }

  /// Waits until one of the ports may have something to do, or [#wake] was called since the last
  /// wait, or the time is over, or the thread is interrupted; may return early. With a time of 0 it
  /// only takes a wake that would end the next wait.
  ///
  /// @param ports which are not changed meanwhile
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  public void park(long nanos, Port... ports) {
    waiting.lock();
    int begun = 0;
    try {
      Thread only = closing;
      if (only != null && only != Thread.currentThread()) {
        return;
      }
      waited = ports;
      set.clear();
      if (nanos <= 0) {
        set.look();
        return;
      }
      long most = nanos;
      while (begun < ports.length && most > 0) {
        most = Math.min(most, ports[begun++].beginWait(files));
      }
      if (most > 0) {
        set.await(most, hasWork);
      }
    } finally { // there may be no thread to wait in
      while (begun > 0) {
        ports[--begun].endWait();
      }
      waiting.unlock();
    }
  }

  private boolean hasWork() {
    for (Port port : waited) {
      if (port.hasWork()) {
        return true;
      }
    }
    return false;
  }

  /// Ends a wait, or the next one. Any thread, even after it was closed.
  public void wake() {
    set.wake();
  }

  /// Lets no thread but the calling one wait from now on, and waits until another has left.
  public void closeToOthers() {
    closing = Thread.currentThread();
    wake();
    waiting.lock();
    try {
      waited = new Port[0];
    } finally {
      waiting.unlock();
    }
  }

  /// Closes it. No thread waits any more afterwards.
  @Override
  public void close() {
    closeToOthers();
    set.close();
  }
}
