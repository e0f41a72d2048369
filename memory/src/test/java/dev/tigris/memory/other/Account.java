package dev.tigris.memory.other;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import java.lang.invoke.MethodHandles;

/// A class of another package, with a field of every visibility.
public class Account extends Pso {
  static final int SHARED = 5;

  public int open;
  protected int guarded;
  int near;
  private int secret;

  public Account(Container container) {
    super(container);
    open = 1;
    guarded = 2;
    near = 3;
    secret = 4;
  }

  /// The sum of all fields.
  public int sum() {
    return open + guarded + near + secret;
  }

  /// The rights of code in this class.
  public static MethodHandles.Lookup lookup() {
    return MethodHandles.lookup();
  }
}
