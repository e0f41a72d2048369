package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.WorkerProtocol;
import java.util.Map;

/// Makes the state machines of a simulation. A test makes some in which a rule is missing.
public interface Parts {
  /// The state machines that ship.
  Parts SHIPPED = new Parts() {};

  /// Makes a coordinator.
  default CoordinatorProtocol coordinator(
      RunId run, Limits limits, Map<String, String> fingerprint) {
    return new CoordinatorProtocol(run, limits, fingerprint);
  }

  /// Makes a worker.
  default WorkerProtocol worker(
      Epoch epoch, int worker, String address, Limits limits, long nowNanos) {
    return new WorkerProtocol(epoch, worker, address, limits, nowNanos);
  }

  /// Returns whether an output that could not be renamed stays.
  default boolean keepsWhatCannotBeRenamed() {
    return true;
  }

  /// Returns whether recovery publishes outputs.
  ///
  /// @param isDecided whether the decision of their attempt is on the disk
  default boolean recovers(boolean isDecided) {
    return isDecided;
  }
}
