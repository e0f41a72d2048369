package dev.tigris.message.call;

import java.time.Duration;

/// A call, as an [Interceptor] sees it.
///
/// Thread rule: the thread that the interceptor is called by, until it returns.
public sealed interface CallInfo permits Invocation, ServerCall {
  /// Returns the service and the method, such as `Orders.find`.
  String methodName();

  /// Returns how much time the call has left; not positive if that is over.
  Duration timeLeft();

  /// Returns how long it has taken so far: since the caller began, or since it arrived.
  Duration elapsed();

  /// Returns how many bytes its arguments have, without primitives.
  long argumentBytes();

  /// Returns how many bytes its result has, without primitives, or those of its failure's text. It
  /// is 0 before the call is over, and for streams.
  long resultBytes();

  /// Returns how the call has ended; [Status#OK] before that.
  Status status();
}
