package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// A flow has failed: which module of it, where, and why. The cause is what the module threw; what
/// else went wrong while everything was stopped is suppressed in it.
public final class FlowException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String flow;
  private String stage = "";
  private int replica;
  private String phase = "";

  /// One to be told later what has failed, when there may be no memory to make another.
  FlowException(String flow) {
    this.flow = flow;
  }

  FlowException(String flow, String stage, int replica, String phase, Throwable cause) {
    this(flow);
    tell(stage, replica, phase, cause);
  }

  /// Says what has failed; once.
  void tell(String failedStage, int failedReplica, String failedPhase, Throwable cause) {
    stage = failedStage;
    replica = failedReplica;
    phase = failedPhase;
    initCause(cause);
  }

  @Override
  public String getMessage() {
    return "flow %s failed: stage %s, replica %d, in %s: %s"
        .formatted(flow, stage, replica, phase, description(getCause()));
  }

  /// The cause is anybody's, and may fail as it is asked what it is.
  private static String description(@Nullable Throwable cause) {
    try {
      return String.valueOf(cause);
    } catch (RuntimeException e) {
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
}
