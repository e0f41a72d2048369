package dev.tigris.memory.other;

import java.lang.invoke.MethodHandles;

/// A class that shares the package of [Account], and nothing else.
public final class Stranger {
  private Stranger() {}

  /// Reads what the package may read.
  public static int near(Account account) {
    return account.near + account.guarded;
  }

  /// The rights of code in this class.
  public static MethodHandles.Lookup lookup() {
    return MethodHandles.lookup();
  }
}
