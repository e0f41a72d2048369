package dev.tigris.message.call;

import dev.tigris.memory.Container;
import java.util.concurrent.atomic.AtomicBoolean;

/// The arguments of a call that the program keeps after its reply: [CallContext#retain]. If it is
/// dropped and not closed, the memory is freed when the collector has found that nothing refers to
/// it.
///
/// Thread rule: any thread.
public final class Retained implements AutoCloseable {
  private final CallBuffers buffers;
  private final Container container;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  Retained(CallBuffers buffers, Container container) {
    this.buffers = buffers;
    this.container = container;
  }

  /// Gives the memory back. The arguments must not be used any more. Closing twice does nothing.
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      buffers.give(buffers.claim(container));
    }
  }
}
