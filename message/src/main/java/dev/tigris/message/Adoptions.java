package dev.tigris.message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The endpoints that other bundles have given to one, until its thread takes them.
///
/// Either an endpoint is given before the bundle closes, and the bundle closes it; or the bundle
/// was closed before, and the endpoint stays where it is. Both happen under one lock, so nothing
/// comes between the question whether the bundle is open and the gift.
///
/// Thread rule: any thread gives; the thread of the bundle takes and closes. A giver holds the lock
/// of one bundle only.
final class Adoptions {
  private final ArrayDeque<Endpoint> given = new ArrayDeque<>();

  /// How many were given and not taken. Any thread reads it without the lock.
  private volatile int count;

  private boolean isClosed;

  /// Gives an endpoint.
  ///
  /// @param letGo has its own bundle let it go, if this one is open
  /// @return whether this one is
  synchronized boolean give(Endpoint endpoint, Runnable letGo) {
    if (isClosed) {
      return false;
    }
    letGo.run();
    given.add(endpoint);
    count = given.size();
    return true;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /// Takes all that were given.
  List<Endpoint> take() {
    if (isEmpty()) {
      return List.of();
    }
    synchronized (this) {
      List<Endpoint> taken = new ArrayList<>(given);
      given.clear();
      count = 0;
      return taken;
    }
  }

  /// Takes no more.
  synchronized void close() {
    isClosed = true;
  }
}
