package dev.tigris.cli.net;

import java.util.function.Supplier;

/// Reports that a word on the command line cannot name what it should.
public final class MisuseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Makes an exception with a message for the user.
  public MisuseException(String message) {
    super(message);
  }

  private MisuseException(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }

  /// Makes a call whose arguments the user wrote, and turns an [IllegalArgumentException] into one
  /// of this class.
  public static <T> T asWritten(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException e) {
      throw new MisuseException(e);
    }
  }
}
