package dev.tigris.message.call;

import dev.tigris.memory.Container;
import java.time.Duration;

/// A call, as the method that serves it knows it: [Calls#current] returns it.
///
/// Thread rule: the thread that runs the method, until it returns; [#isCancelled] and [#timeLeft]
/// any thread.
public sealed interface CallContext permits ServerCall {
  /// Returns how long the caller waits; not positive if that is over.
  Duration timeLeft();

  /// Whether the caller has given up waiting for the result. The thread of a method is also
  /// interrupted then, unless it runs in the handler.
  boolean isCancelled();

  /// Returns the container that the result is sent from. An object that is made there, and
  /// returned, is not copied.
  Container container();

  /// Keeps the arguments: the memory that they lie in is the program's from now on, until what this
  /// returns is closed.
  ///
  /// @throws IllegalStateException if they are kept already, or the call has none with bytes
  Retained retain();
}
