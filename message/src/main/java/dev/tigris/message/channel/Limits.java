package dev.tigris.message.channel;

/// Checks of options.
public final class Limits {
  private Limits() {}

  /// Checks that a value is within its bounds.
  ///
  /// @throws IllegalArgumentException if it is not, with its name
  public static void requireWithin(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s is %d: it must be between %d and %d".formatted(name, value, least, most));
    }
  }
}
