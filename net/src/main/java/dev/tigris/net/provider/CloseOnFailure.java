package dev.tigris.net.provider;

import java.util.ArrayDeque;

/// Objects that are closed in reverse order if something goes wrong before all are there.
public final class CloseOnFailure implements AutoCloseable {
  private final ArrayDeque<AutoCloseable> objects = new ArrayDeque<>();

  /// Makes one without objects.
  public CloseOnFailure() {}

  /// Adds one, and returns it.
  public <T extends AutoCloseable> T add(T object) {
    objects.push(object);
    return object;
  }

  /// All are there: they are their owner's now.
  public void keep() {
    objects.clear();
  }

  @Override
  public void close() {
    for (AutoCloseable each : objects) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
