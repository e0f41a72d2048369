package dev.tigris.cluster.run.protocol;

/// The reason why an attempt has ended without outputs.
///
/// @param kind what has happened
/// @param worker in which worker, from 0; [#NO_WORKER] if in none
/// @param message what to tell the user
public record Failure(Kind kind, int worker, String message) {
  /// The worker of a failure that is not a worker's.
  public static final int NO_WORKER = -1;

  /// The things that may happen.
  public enum Kind {
    /// A module threw: it would again.
    MODULE(false),
    /// A stream to another process broke, and maybe a module threw because of that.
    LOST_PEER(true),
    /// The process has ended.
    DIED(true),
    /// Nothing was heard for longer than the hang limit.
    SILENT(true),
    /// It could not be started, or has not reported.
    START(true),
    /// Where it was to run, it cannot: another Java is there, for example.
    REFUSED(false),
    /// It has described another flow than the coordinator.
    FINGERPRINT(false),
    /// Its outputs could not be prepared, or the decision could not be written.
    DISK(false),
    /// The user has cancelled the run.
    CANCELLED(false),
    /// The worker has not heard the coordinator for as long as its lease.
    UNHEARD(true);

    private final boolean retried;

    Kind(boolean retried) {
      this.retried = retried;
    }

    /// Returns whether another attempt may do better.
    public boolean isRetried() {
      return retried;
    }
  }
}
