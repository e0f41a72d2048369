package dev.tigris.message.call;

import dev.tigris.net.Fabric;
import java.util.concurrent.CompletableFuture;

/// A server and a client that the stress tests of this package share: it takes long to connect.
final class SharedCalls {
  /// The client's.
  static final ClientHub HUB;

  /// The client.
  static final Numbers NUMBERS;

  static {
    Fabric fabric = Fabric.open("shm");
    String servers = "numbers@" + Server.start(fabric).address();
    NUMBERS = Calls.client(Numbers.class, fabric, servers, CallOptions.DEFAULT);
    HUB = ((Stub) NUMBERS).client;
  }

  private SharedCalls() {}

  /// Makes a call that is not sent.
  static Invocation call() {
    return new Invocation(HUB, ServiceModel.of(Numbers.class).methods().getFirst(), false);
  }

  /// The service.
  @Service
  interface Numbers {
    CompletableFuture<Long> same(long value);
  }

  /// Starts the server: a class of its own, as a thread cannot use a class that is being
  /// initialized by a thread that waits for it.
  private static final class Server {
    /// The thread of a server is a daemon if the one that starts it is.
    static CallServer start(Fabric fabric) {
      CompletableFuture<CallServer> serves = new CompletableFuture<>();
      Thread _ = Thread.ofPlatform().daemon().start(() -> serves.complete(serve(fabric)));
      return serves.join();
    }

    private static CallServer serve(Fabric fabric) {
      Implementation numbers = Calls.service(Numbers.class, CompletableFuture::completedFuture);
      return Calls.serve(fabric, "numbers@*", ServerOptions.DEFAULT, numbers.inHandler());
    }
  }
}
