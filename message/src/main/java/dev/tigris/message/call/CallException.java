package dev.tigris.message.call;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A call did not end in a result. A method of a service throws one to end its call with a status
/// and a text, both of which the caller gets.
public final class CallException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Status status;

  /// Makes one.
  ///
  /// @throws IllegalArgumentException if the status is [Status#OK]
  public CallException(Status status, String message) {
    this(status, message, null);
  }

  /// Makes one with a cause, which stays in this process.
  ///
  /// @throws IllegalArgumentException if the status is [Status#OK]
  public CallException(Status status, String message, @Nullable Throwable cause) {
    super(message, cause);
    if (Objects.requireNonNull(status) == Status.OK) {
      throw new IllegalArgumentException("a call that ends with OK has no exception");
    }
    this.status = status;
  }

  /// Returns the status.
  public Status status() {
    return status;
  }

  /// Returns what was said of the failure, without the status.
  public String text() {
    return String.valueOf(super.getMessage());
  }

  /// Returns the status and the text.
  @Override
  public String getMessage() {
    return "%s: %s".formatted(status, super.getMessage());
  }
}
