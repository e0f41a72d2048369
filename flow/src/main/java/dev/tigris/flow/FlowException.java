package dev.tigris.flow;

/// A flow has failed: which module of it, where, and why. The cause is what the module threw; what
/// else went wrong while everything was stopped is suppressed in it.
public final class FlowException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String flow;
  private final String stage;
  private final int replica;

  FlowException(String flow, String stage, int replica, String phase, Throwable cause) {
    super(
        "flow %s failed: stage %s, replica %d, in %s: %s"
            .formatted(flow, stage, replica, phase, cause),
        cause);
    this.flow = flow;
    this.stage = stage;
    this.replica = replica;
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
