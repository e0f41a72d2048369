package dev.tigris.net.provider;

/// A request to end a wait. It stays until it is taken, and ends one wait only.
/// It is no more than that word: the asking thread also ends the system call of the wait.
///
/// Thread rule: [#ask] and [#isAsked] by any thread, [#take] by the one that waits.
public final class WakeRequest {
  private volatile boolean asked;

  /// Makes one without a request.
  public WakeRequest() {}

  /// Asks for the end of a wait, or of the next one.
  public void ask() {
    asked = true;
  }

  /// Whether there is a request that was not taken.
  public boolean isAsked() {
    return asked;
  }

  /// Takes the request; returns whether there was one.
  public boolean take() {
    boolean was = asked;
    if (was) {
      asked = false; // written only then: other processors keep the line
    }
    return was;
  }
}
