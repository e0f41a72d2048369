package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.View;
import dev.tigris.memory.internal.ObjectAccess;

/// Memory of a call: its bytes, and the same as a container.
final class CallBuffer {
  final Bytes bytes;
  final Container container;

  private final Jbuf jbuf;

  /// Whether the program has had its container.
  private final boolean wasHandedOut;

  /// Who needs it: the call, and each transfer out of it. Guarded by its pool.
  int holders;

  private CallBuffer(Jbuf jbuf, Bytes bytes, Container container, boolean wasHandedOut) {
    this.jbuf = jbuf;
    this.wasHandedOut = wasHandedOut;
    this.bytes = bytes;
    this.container = container;
  }

  static CallBuffer allocate(long bytes, String owner) {
    Jbuf jbuf = Jbuf.allocate(bytes, owner);
    Bytes whole = jbuf.asBytes();
    return new CallBuffer(jbuf, whole, whole.asContainer(), false);
  }

  /// The buffer of a view, or a container, that the program has had.
  static CallBuffer of(View view) {
    Jbuf jbuf = ObjectAccess.OBJECTS.jbuf(view);
    Bytes whole = jbuf.asBytes();
    if (view instanceof Container container) {
      return new CallBuffer(jbuf, whole, container, true);
    }
    for (long at = 0; at < Container.HEADER_BYTES; at += Long.BYTES) {
      whole.setLong(at, 0);
    }
    return new CallBuffer(jbuf, whole, whole.asContainer(), false);
  }

  /// The empty buffer for another call: with a container that the program has never had, so that
  /// what it still refers to is not taken for an argument of that call.
  CallBuffer afresh() {
    container.clear();
    return wasHandedOut ? new CallBuffer(jbuf, bytes, bytes.asContainer(), false) : this;
  }

  long capacityBytes() {
    return bytes.capacityBytes();
  }

  /// Gives the memory back, once nothing refers to it any more.
  void free() {
    jbuf.unreference(Jbuf::free);
  }
}
