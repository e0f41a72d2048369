package dev.tigris.cluster.run;

import dev.tigris.flow.FlowPart;
import dev.tigris.flow.Operation;
import dev.tigris.flow.StreamKind;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The two points at which a part of a flow waits for the other processes of its run. Before its
/// modules are made, all streams have to be connected. Before they are started, all modules have to
/// be initialized. The coordinator opens both.
///
/// Thread rule: any thread.
final class Gates {
  private final Runnable wired;
  private final Runnable initialized;
  private final CompletableFuture<Void> allWired = new CompletableFuture<>();
  private final CompletableFuture<Void> allInitialized = new CompletableFuture<>();

  /// @param wired is called when the streams of this process are connected
  /// @param initialized is called when its modules are initialized
  Gates(Runnable wired, Runnable initialized) {
    this.wired = wired;
    this.initialized = initialized;
  }

  /// Opens the first one: the modules are made and initialized.
  void initialize() {
    boolean _ = allWired.complete(null);
  }

  /// Opens the second one: the modules work.
  void run() {
    boolean _ = allInitialized.complete(null);
  }

  /// Fails the flow if it waits at one of them, or comes there.
  void cancel(String reason) {
    var cancelled = new CancellationException(reason);
    boolean _ = allWired.completeExceptionally(cancelled);
    boolean _ = allInitialized.completeExceptionally(cancelled);
  }

  /// Returns a part that waits at the gates.
  FlowPart before(FlowPart part) {
    return new Gated(part);
  }

  private final class Gated implements FlowPart {
    private final FlowPart part;

    Gated(FlowPart part) {
      this.part = part;
    }

    @Override
    public boolean isHere(Operation.End replica) {
      return part.isHere(replica);
    }

    @Override
    public StreamKind kind(Link link) {
      return part.kind(link);
    }

    @Override
    public StreamKind outward(StreamKind kind) {
      return part.outward(kind);
    }

    @Override
    public CompletionStage<Void> joined() {
      return part.joined()
          .thenCompose(
              nothing -> {
                wired.run();
                return allWired;
              });
    }

    @Override
    public CompletionStage<Void> initialized() {
      return part.initialized()
          .thenCompose(
              nothing -> {
                initialized.run();
                return allInitialized;
              });
    }
  }
}
