package dev.tigris.message.call;

/// Is called before and after each call of a client ([CallOptions#withInterceptors]) or a server
/// ([ServerOptions#withInterceptors]): to log, to measure, to refuse.
///
/// ```java
/// Interceptor quota = new Interceptor() {
///   @Override
///   public void before(CallInfo call) {
///     if (!permits.tryAcquire()) {
///       throw new CallException(Status.RESOURCE_EXHAUSTED, "the quota is used up");
///     }
///   }
/// };
/// ```
///
/// Several are called in their order before a call, and in the reverse order after it. Each one
/// that has returned from [#before] hears of the end once. A client's see a call once, whatever
/// tries it takes. A server's do not see calls that the server refuses by itself.
public interface Interceptor {
  /// A call begins. At the client this is the thread of the caller, at the server the thread that
  /// runs the method. What this throws ends the call, which is not sent or does not run: a
  /// [CallException] with its status, anything else with [Status#UNKNOWN].
  default void before(CallInfo call) {}

  /// A call is over. This is the thread that sends and receives: what takes long holds up all
  /// others. What it throws is logged.
  default void after(CallInfo call) {}
}
