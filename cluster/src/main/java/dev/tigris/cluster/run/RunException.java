package dev.tigris.cluster.run;

import org.jspecify.annotations.Nullable;

/// Reports that a run has failed: why, where, and in which attempt. Its cause is what a module or a
/// program threw, if one did: a [RemoteException] if that was in another process.
public final class RunException extends Exception {
  private static final long serialVersionUID = 1;

  /// The things that end a run.
  public enum Kind {
    /// The program could not describe its flow.
    PROGRAM,
    /// A module threw, or a stream to no other process failed.
    MODULE,
    /// A process was lost in each attempt: it died, hung, or could not be reached.
    LOST,
    /// The workers could not be started, or did not report.
    START,
    /// The processes differ in their code, their Java, or the flow that they describe.
    DIFFERENCE,
    /// An output could not be written, or the decision could not.
    OUTPUT,
    /// The outputs are prepared, and nothing says whether they were to get their names.
    UNDECIDED
  }

  private final Kind kind;
  private final int attempts;

  RunException(Kind kind, int attempts, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.attempts = attempts;
  }

  /// Returns what has ended the run.
  public Kind kind() {
    return kind;
  }

  /// Returns how many times the run was tried.
  public int attempts() {
    return attempts;
  }

  /// Returns a copy with the stack trace of the caller, to be thrown there.
  RunException here() {
    RunException same = new RunException(kind, attempts, String.valueOf(getMessage()), getCause());
    for (Throwable each : getSuppressed()) {
      same.addSuppressed(each);
    }
    return same;
  }
}
