package dev.tigris.flow;

import java.util.concurrent.CompletableFuture;

/// An operation that a module's thread is to apply, and where its outcome goes.
///
/// @param operation what to do
/// @param answer gets the outcome, once
record Request(Operation.OnModule operation, CompletableFuture<FlowEngine.Answer> answer) {
  void answer(FlowEngine.Answer outcome) {
    answer.complete(outcome);
  }
}
