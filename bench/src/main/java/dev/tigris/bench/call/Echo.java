package dev.tigris.bench.call;

import dev.tigris.message.call.Service;
import java.util.concurrent.CompletableFuture;

/// The service: each method returns what it is given. It runs in the handler.
@Service
interface Echo {
  Ask.Small small(Ask.Small ask);

  Ask.Medium medium(Ask.Medium ask);

  Ask.Large large(Ask.Large ask);

  /// Returns what the thread that runs it has allocated.
  long allocated();

  /// The same, for callers that do not wait.
  @Service("Echo")
  interface Later {
    CompletableFuture<Ask.Small> small(Ask.Small ask);

    CompletableFuture<Ask.Medium> medium(Ask.Medium ask);

    CompletableFuture<Ask.Large> large(Ask.Large ask);
  }

  /// The same, on a virtual thread for each call.
  @Service("EchoOnThreads")
  interface OnThreads extends Echo {}
}
