package dev.tigris.bench.fork;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/// Runs a process as long as its standard input is open. So it does not outlive the bench that has
/// started it, however that ends.
public final class WhileInput {
  private WhileInput() {}

  /// A task that may fail.
  @FunctionalInterface
  public interface Step {
    /// Runs the task.
    void run() throws Exception;
  }

  /// Runs a task on a thread of its own. Returns, and with that lets the process end, when it is
  /// done or the input is at its end; an exception of it ends the process with an error.
  public static void run(String name, Step step) throws Exception {
    CompletableFuture<String> end = new CompletableFuture<>();
    start("end-with-input", end, WhileInput::awaitEndOfInput);
    start(name, end, step);
    end.get();
  }

  private static void start(String name, CompletableFuture<String> end, Step step) {
    Runnable body =
        () -> {
          try {
            step.run();
            end.complete(name);
          } catch (Exception | Error e) {
            end.completeExceptionally(e);
          }
        };
    Thread.ofPlatform().daemon().name(name).start(body);
  }

  private static void awaitEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      // nothing is asked of it
    }
  }
}
