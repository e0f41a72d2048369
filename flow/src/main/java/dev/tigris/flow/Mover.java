package dev.tigris.flow;

/// Moves the data of streams whose other end is elsewhere, such as the completion queue of virtual
/// interfaces. A [kind of streams][StreamKind] brings it along by [Stream#mover]. All streams of
/// one module share one.
///
/// The thread of the module polls the mover every few calls, after each long one and while it
/// waits, and it parks in the mover, which other threads end by [#wake]. So a module waits at once
/// for these streams, for those in memory and for operations of its engine.
///
/// Thread rule: the module's thread, except for [#wake].
public interface Mover {
  /// Moves what can be moved without waiting, and makes what has come visible to the streams.
  ///
  /// @throws StreamException if nothing can be moved any more; one stream that is lost
  ///     [fails][Stream#fail] by itself
  void poll();

  /// Waits until something can be moved, or for `nanos` nanoseconds, or until [#wake] is called,
  /// also if that was before this call and after the last one. It may return early, and does so if
  /// the thread is interrupted, which it then still is.
  void await(long nanos);

  /// Tells that the module is called now. Until [#endCall] its thread computes, and uses its
  /// streams only now and then. So the mover may let another thread move meanwhile. It then takes
  /// all back in each call on one of its streams.
  ///
  /// @param isLong whether the module's calls take long, as far as is known
  default void beginCall(boolean isLong) {}

  /// Tells that the call is over: all belongs to the module's thread again.
  default void endCall() {}

  /// Ends an [#await], or the next one. Any thread, also one that is late, when the module has
  /// ended and the mover is closed.
  void wake();
}
