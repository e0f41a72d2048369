package dev.tigris.cli.net;

import java.util.function.Supplier;

/// The command line names something that cannot exist.
public final class MisuseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// A message for them.
  public MisuseException(String message) {
    super(message);
  }

  private MisuseException(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }

  /// Calls something whose arguments they wrote.
  public static <T> T asWritten(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException e) {
      throw new MisuseException(e);
    }
  }
}
