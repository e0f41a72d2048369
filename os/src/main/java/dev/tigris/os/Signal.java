package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A flag that a thread waits for in a [PollSet], and that any thread, or the kernel, can raise
/// (eventfd).
public final class Signal implements AutoCloseable {
  private static final int FLAGS = 0x800 | 0x80000; // never blocks, closed on exec

  private final OpenFile file;
  private final MemorySegment count = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
  private boolean closed;

  /// Makes one that is not raised.
  public Signal() throws SystemException {
    this.file = new OpenFile((int) SystemException.check("make a signal", Calls.eventfd(FLAGS)));
  }

  /// Returns the file to wait for, and to name to the kernel.
  public OpenFile file() {
    return file;
  }

  /// Raises it. Any thread, even after it was closed: to no effect.
  public synchronized void raise() {
    if (!closed) { // or else the number may be another file's by now
      int _ = Calls.eventfdWrite(file.number(), 1L); // refused if raised very often already
    }
  }

  /// Lowers it. As [#raise].
  public synchronized void lower() {
    if (!closed) {
      int _ = Calls.eventfdRead(file.number(), count); // refused if it is not raised
    }
  }

  /// Closes it, when no thread waits for it.
  @Override
  public synchronized void close() {
    closed = true;
    file.close();
  }
}
