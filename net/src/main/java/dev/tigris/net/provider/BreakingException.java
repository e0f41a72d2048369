package dev.tigris.net.provider;

import org.jspecify.annotations.Nullable;

/// A fault found while messages are moved, which ends the connection as broken: [Link#failOf].
/// Other links go on.
public abstract sealed class BreakingException extends RuntimeException
    permits BreachException, LostMemoryException {
  private static final long serialVersionUID = 1;

  /// Makes one.
  ///
  /// @param what it was, for people
  BreakingException(String what, @Nullable Throwable cause) {
    super(what, cause);
  }
}
