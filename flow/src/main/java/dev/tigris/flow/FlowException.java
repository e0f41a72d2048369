package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// A flow has failed: which module of it, where, and why. The cause is what the module threw; what
/// else went wrong while everything was stopped is suppressed in it.
public final class FlowException extends Exception {
  /// The work that a module, or the flow for it, was doing.
  public enum Phase {
    /// A stream of the module was opened, before anything was started.
    OPEN("opening"),
    /// Its thread was started.
    START("the start of its thread"),
    /// It was made, by its supplier or constructor.
    CONSTRUCTOR("its constructor"),
    /// [Operator#init].
    INIT("init"),
    /// [Source#produce].
    PRODUCE("produce"),
    /// [Module#process], or taking the water for it.
    PROCESS("process"),
    /// [Operator#finish].
    FINISH("finish"),
    /// Its streams were told that it has ended.
    END("the end of its streams"),
    /// [Operator#destroy].
    DESTROY("destroy"),
    /// A stream of the module was closed, after all modules had ended.
    CLOSE("closing");

    private final String words;

    Phase(String words) {
      this.words = words;
    }
  }

  private static final long serialVersionUID = 1L;

  private final String flow;
  private String stage = "";
  private int replica;
  private Phase phase = Phase.START;

  /// Which stream was opened or closed; empty in other phases.
  private String stream = "";

  /// One to be told later what has failed, when there may be no memory to make another.
  FlowException(String flow) {
    this.flow = flow;
  }

  FlowException(String flow, String stage, int replica, Phase phase, @Nullable Throwable cause) {
    this(flow);
    tell(stage, replica, phase, cause);
  }

  /// One of opening or closing a stream.
  static FlowException of(
      String flow, Wiring.End module, Phase phase, String stream, Throwable cause) {
    var made = new FlowException(flow, module.name(), module.index(), phase, cause);
    made.stream = " stream " + stream;
    return made;
  }

  /// Says what has failed; once.
  void tell(String failedStage, int failedReplica, Phase failedPhase, @Nullable Throwable cause) {
    stage = failedStage;
    replica = failedReplica;
    phase = failedPhase;
    initCause(cause);
  }

  /// The same with the trace of whoever calls this, to throw it: the cause has that of what failed.
  FlowException here() {
    try {
      FlowException same = new FlowException(flow, stage, replica, phase, getCause());
      same.stream = stream;
      for (Throwable each : getSuppressed()) {
        same.addSuppressed(each);
      }
      return same;
    } catch (OutOfMemoryError e) {
      return this;
    }
  }

  @Override
  public String getMessage() {
    return "flow %s failed: stage %s, replica %d, in %s: %s"
        .formatted(flow, stage, replica, phase.words + stream, description(getCause()));
  }

  /// The cause is anybody's, and may fail as it is asked what it is.
  private static String description(@Nullable Throwable cause) {
    try {
      return String.valueOf(cause);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return cause == null ? "" : cause.getClass().getName();
    }
  }

  /// The name of the flow.
  public String flow() {
    return flow;
  }

  /// The name of the stage whose module failed.
  public String stage() {
    return stage;
  }

  /// The replica that failed.
  public int replica() {
    return replica;
  }

  /// Returns the work that was being done.
  public Phase phase() {
    return phase;
  }
}
