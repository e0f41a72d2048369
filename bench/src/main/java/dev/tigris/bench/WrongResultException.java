package dev.tigris.bench;

/// A bench computed something wrong, so that its time means nothing.
public final class WrongResultException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Says what was wrong.
  public WrongResultException(String message) {
    super(message);
  }

  /// Throws unless `actual` is `expected`.
  public static void check(String what, long expected, long actual) {
    if (expected != actual) {
      throw new WrongResultException(what + ": expected " + expected + " but got " + actual);
    }
  }
}
