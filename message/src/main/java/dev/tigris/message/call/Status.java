package dev.tigris.message.call;

import org.jspecify.annotations.Nullable;

/// How a call ended: the statuses of gRPC, with its numbers and meanings.
public enum Status {
  /// The call has a result.
  OK,
  /// The caller gave the call up.
  CANCELLED,
  /// The method threw an exception that says nothing else.
  UNKNOWN,
  /// The arguments are wrong, whatever the state of the server.
  INVALID_ARGUMENT,
  /// The time was over. The method may have run.
  DEADLINE_EXCEEDED,
  /// There is no such thing.
  NOT_FOUND,
  /// It exists already.
  ALREADY_EXISTS,
  /// The caller may not do that.
  PERMISSION_DENIED,
  /// The server, or the client, has as much to do as it admits. The method did not run.
  RESOURCE_EXHAUSTED,
  /// The state of the server does not allow it; trying again does not help.
  FAILED_PRECONDITION,
  /// Another call was in the way; trying the whole again may help.
  ABORTED,
  /// It is beyond the end.
  OUT_OF_RANGE,
  /// The server has no such method, or one that the client cannot call.
  UNIMPLEMENTED,
  /// The other side has sent damaged bytes, or an invariant is broken.
  INTERNAL,
  /// The server cannot be reached, was lost, or is leaving. The method may have run, unless the
  /// message says that it did not.
  UNAVAILABLE,
  /// Data is lost or damaged.
  DATA_LOSS,
  /// The caller has not said who it is.
  UNAUTHENTICATED;

  private static final Status[] ALL = values(); // in the order of gRPC's numbers

  /// Returns the number of the status, as in gRPC.
  @SuppressWarnings("EnumOrdinal") // the order is that of the numbers, and a test pins it
  public int code() {
    return ordinal();
  }

  /// Returns the status of a number; null if there is none.
  public static @Nullable Status of(long code) {
    return code >= 0 && code < ALL.length ? ALL[(int) code] : null;
  }
}
