package dev.tigris.cluster;

/// Makes exchanges for simulators.
public final class SteppedExchange {
  private SteppedExchange() {}

  /// Returns an exchange whose threads wait by `others`, which lets others go on, while they have
  /// no queue to wait in.
  public static Exchange of(long run, StreamOptions options, Runnable others) {
    return new Exchange(run, 0, options, _ -> others.run());
  }
}
