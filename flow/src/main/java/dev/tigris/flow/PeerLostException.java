package dev.tigris.flow;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/// Reports that the other end of a stream, which is in another process or on another host, is lost.
/// The flow here may be without a fault: the run can be tried again.
public class PeerLostException extends StreamException {
  private static final long serialVersionUID = 1L;

  /// Makes an exception whose message says which end of which stream is lost, and why.
  public PeerLostException(String message, Throwable cause) {
    super(message, cause);
  }

  /// Returns whether a failure follows from a lost peer: it is such an exception, or has one among
  /// its causes. What is suppressed in it came later, and is not looked at.
  public static boolean isCauseOf(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Throwable cause = failure;
    while (cause != null && seen.add(cause)) {
      if (cause instanceof PeerLostException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
