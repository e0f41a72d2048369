package dev.tigris.cluster.run.protocol;

/// One thing that a [CoordinatorProtocol] wants done.
public sealed interface CoordinatorAct {
  /// Start all workers of an attempt, or tell [CoordinatorProtocol#startFailed].
  ///
  /// @param epoch the attempt
  /// @param count how many
  record StartWorkers(Epoch epoch, int count) implements CoordinatorAct {}

  /// Send an order. It may get lost.
  ///
  /// @param worker to which worker of the order's attempt
  /// @param order the order
  record Send(int worker, Order order) implements CoordinatorAct {}

  /// End the process of a worker by force, if that is possible from here. Then tell
  /// [CoordinatorProtocol#died].
  ///
  /// @param epoch the attempt
  /// @param worker which worker
  record Kill(Epoch epoch, int worker) implements CoordinatorAct {}

  /// End what is left of an attempt's processes, and delete what dead ones have left.
  ///
  /// @param epoch the attempt
  record StopWorkers(Epoch epoch) implements CoordinatorAct {}

  /// Write the decision to the disk, with its folder. Then tell [CoordinatorProtocol#decided] or
  /// [CoordinatorProtocol#notDecided].
  ///
  /// @param epoch the attempt whose outputs get their names
  record Decide(Epoch epoch) implements CoordinatorAct {}

  /// Give the outputs of a worker that does not answer their names, by its note, if that is
  /// possible from here. Then tell [CoordinatorProtocol#named].
  ///
  /// @param epoch the decided attempt
  /// @param worker which worker
  record NameFor(Epoch epoch, int worker) implements CoordinatorAct {}

  /// Tell the user. Reports that still come are to be given to the protocol, as long as this
  /// process lives.
  ///
  /// @param outcome how the run has ended
  record Over(Outcome outcome) implements CoordinatorAct {}
}
