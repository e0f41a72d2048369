package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// Reports that a flow has failed: which of its modules, where, and why. The cause is what the
/// module threw. Failures that followed while the flow was stopped are suppressed in it.
public final class FlowException extends Exception {
  /// The step of a module's life in which it failed.
  public enum Phase {
    /// A stream of the module was being opened.
    OPEN("opening"),
    /// Its thread was being started.
    START("the start of its thread"),
    /// Its supplier or constructor was making it.
    CONSTRUCTOR("its constructor"),
    /// [Operator#init].
    INIT("init"),
    /// [Source#produce].
    PRODUCE("produce"),
    /// [Module#process], or taking the water for it.
    PROCESS("process"),
    /// [Operator#finish].
    FINISH("finish"),
    /// Its streams were being told that the module has ended.
    END("the end of its streams"),
    /// [Operator#destroy].
    DESTROY("destroy"),
    /// A stream of the module was being closed, after all modules had ended.
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

  /// Makes an exception whose failure is told later, when there may be no memory to make another.
  FlowException(String flow) {
    this.flow = flow;
  }

  FlowException(String flow, String stage, int replica, Phase phase, @Nullable Throwable cause) {
    this(flow);
    tell(stage, replica, phase, cause);
  }

  /// Makes an exception about opening or closing a stream.
  static FlowException of(
      String flow, Operation.End module, Phase phase, String stream, Throwable cause) {
    var made = new FlowException(flow, module.name(), module.index(), phase, cause);
    made.stream = " stream " + stream;
    return made;
  }

  /// Sets what has failed; called once.
  void tell(String failedStage, int failedReplica, Phase failedPhase, @Nullable Throwable cause) {
    stage = failedStage;
    replica = failedReplica;
    phase = failedPhase;
    initCause(cause);
  }

  /// Returns a copy with the stack trace of the caller, to be thrown there. The cause has the stack
  /// trace of the failure.
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

  /// Returns the cause is anybody's, and may fail as it is asked what it is.
  private static String description(@Nullable Throwable cause) {
    try {
      return String.valueOf(cause);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return cause == null ? "" : cause.getClass().getName();
    }
  }

  /// Returns the name of the flow.
  public String flow() {
    return flow;
  }

  /// Returns the name of the stage whose module failed.
  public String stage() {
    return stage;
  }

  /// Returns which replica of the stage failed, from 0.
  public int replica() {
    return replica;
  }

  /// Returns the step in which the module failed.
  public Phase phase() {
    return phase;
  }
}
