package dev.tigris.message.call;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// Tells Java Flight Recorder of calls: `dev.tigris.message.CallMade` at the client and
/// `dev.tigris.message.CallServed` at the server. Without a recorder in the process a call costs a
/// test of a flag, and the event classes are not loaded. The module `jdk.jfr` need not be there.
final class CallEvents {
  private static final boolean AVAILABLE =
      ModuleLayer.boot()
          .findModule("jdk.jfr")
          .filter(CallEvents.class.getModule()::canRead)
          .isPresent();

  private CallEvents() {}

  @Category({"Tigris", "Calls"})
  @StackTrace(false)
  @SuppressWarnings("UnusedVariable") // the recorder reads them
  private abstract static class CallEvent extends Event {
    @Label("Method")
    @Nullable String method;

    @Label("Status")
    @Nullable String status;

    @Label("Bytes of Arguments")
    @DataAmount
    long argumentBytes;

    @Label("Bytes of Result")
    @DataAmount
    long resultBytes;
  }

  @Name("dev.tigris.message.CallMade")
  @Label("Call Made")
  private static final class CallMade extends CallEvent {}

  @Name("dev.tigris.message.CallServed")
  @Label("Call Served")
  private static final class CallServed extends CallEvent {}

  private static boolean isRecorderThere() {
    return AVAILABLE && FlightRecorder.isInitialized();
  }

  /// The types of the events: a test of one makes no event.
  private static final class Types {
    private static final EventType MADE = EventType.getEventType(CallMade.class);
    private static final EventType SERVED = EventType.getEventType(CallServed.class);
  }

  /// A client begins a call; returns the event for [#over], null if there is no recording.
  static @Nullable Object made() {
    return isRecorderThere() && Types.MADE.isEnabled() ? begun(new CallMade()) : null;
  }

  /// A server begins a call, as for [#made].
  static @Nullable Object served() {
    return isRecorderThere() && Types.SERVED.isEnabled() ? begun(new CallServed()) : null;
  }

  private static Object begun(CallEvent event) {
    event.begin();
    return event;
  }

  /// A call is over.
  static void over(@Nullable Object begun, CallInfo call) {
    if (begun != null) {
      commit((CallEvent) begun, call);
    }
  }

  private static void commit(CallEvent event, CallInfo call) {
    event.end();
    if (event.shouldCommit()) {
      event.method = call.methodName();
      event.status = call.status().name();
      event.argumentBytes = call.argumentBytes();
      event.resultBytes = call.resultBytes();
      event.commit();
    }
  }
}
