package dev.tigris.os;

import java.util.concurrent.atomic.AtomicBoolean;

/// A file, socket or the like that this process has open, which is closed once.
public final class OpenFile implements AutoCloseable {
  private final int number;
  private final AtomicBoolean closed = new AtomicBoolean();

  /// Takes over a descriptor.
  public OpenFile(int number) {
    this.number = number;
  }

  /// The descriptor, for calls; when this is closed, it may soon be another file's.
  public int number() {
    return number;
  }

  /// Closes it. Any thread, any number of times.
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      FileDescriptors.close(number);
    }
  }
}
