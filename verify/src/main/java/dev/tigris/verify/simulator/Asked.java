package dev.tigris.verify.simulator;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// An operation, and its answer.
record Asked(Operation operation, CompletableFuture<Answer> answer) {
  boolean isAnsweredBy(Answer outcome) {
    return answer.isDone() && !answer.isCompletedExceptionally() && answer.join() == outcome;
  }

  /// Returns whether an operation lets a module end outputs that it has not come to the end of.
  static boolean mayEndOutputs(Operation operation) {
    return operation instanceof Operation.EndOutput
        || operation instanceof Operation.Stop
        || operation instanceof Operation.Drop;
  }

  /// Returns whether a module has left each receiver that it had, or never had one.
  static boolean hasNoReceiver(List<Asked> all, End module) {
    Set<String> outputs = new HashSet<>();
    for (Asked each : all) {
      if (each.isAnsweredBy(Answer.APPLIED)) {
        switch (each.operation()) {
          case Operation.AttachOutput(End of, String stream) when of.equals(module) ->
              outputs.add(stream);
          case Operation.EndOutput(End of, String stream) when of.equals(module) ->
              outputs.remove(stream);
          default -> {}
        }
      }
    }
    return outputs.isEmpty();
  }
}
