package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.channel.Channel;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Servers that say what they serve, and then do harm; or that do not even answer.
@Timeout(60)
class HostileServerTest {
  /// Answers who asks for the description, and no call; sends replies that nobody asked for.
  private static final class Stranger implements AutoCloseable {
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final Thread thread;
    private final Fabric fabric;
    private final boolean guesses;
    private volatile boolean isOver;
    private Channel client;
    private long lastCall;

    Stranger(Fabric fabric, boolean guesses) {
      this.fabric = fabric;
      this.guesses = guesses;
      this.thread = Thread.ofPlatform().start(this::serve);
    }

    String server() throws ExecutionException, InterruptedException {
      return "orders@" + address.get();
    }

    private void serve() {
      try (Bundle bundle = Bundle.open(CallOptions.MESSAGES, List.of(fabric))) {
        Endpoint endpoint = bundle.endpoint("orders", CallOptions.TAG);
        endpoint.errorHandler(returned -> {});
        byte[] description =
            new Description(
                    ServiceModel.of(Orders.class).methods().stream()
                        .map(ServiceModel.MethodModel::signature)
                        .toList())
                .toBytes();
        Bytes payload = Jbuf.allocate(description.length, "test").asBytes();
        payload.copyFrom(0, description, 0, description.length);
        endpoint.handler(
            Frames.CALL,
            (token, message) -> {
              client = ENDPOINTS.channel(token);
              lastCall = message.word(1);
              if (message.word(0) == Signature.DESCRIBE) {
                long[] words = {lastCall, 0, description.length};
                token.reply(Frames.REPLY, words, payload, 0, description.length);
              } else if (guesses) {
                long[] words = {lastCall, Status.ABORTED.code(), 0};
                token.reply(Frames.REPLY, words, payload, 0, 0);
              }
            });
        endpoint.handler(Frames.CANCEL, (token, message) -> {});
        boolean _ = address.complete(bundle.listen("shm", "*"));
        while (!isOver) {
          int _ = bundle.poll();
          harm(endpoint);
        }
      }
    }

    /// Sends replies to calls that others have, or nonsense.
    private void harm(Endpoint endpoint) {
      if (client == null || !Outgoing.isOpen(client)) {
        return;
      }
      if (!guesses) {
        boolean _ = Outgoing.send(endpoint, client, Frames.REPLY, 0, 0);
        return;
      }
      for (int next = 1; next <= 4; next++) {
        long[] words = {lastCall + ((long) next << 16), 0, 666};
        boolean _ =
            Outgoing.send(
                endpoint, client, Frames.REPLY, words, 3, null, 0, new CallBuffers("t"), () -> {});
      }
    }

    @Override
    public void close() {
      isOver = true;
      Wait.until("the stranger has gone", () -> !thread.isAlive());
    }
  }

  @Test
  void nonsenseWithoutEndDoesNotHoldUpADeadline() throws Exception {
    try (Fabric fabric = Fabric.open("shm");
        Stranger stranger = new Stranger(fabric, false)) {
      Orders orders =
          Calls.client(
              Orders.class,
              fabric,
              stranger.server(),
              CallOptions.DEFAULT.withCallerPolls(true).withDeadline(Duration.ofMillis(200)));
      for (int i = 0; i < 3; i++) {
        CallException over = assertThrows(CallException.class, orders::running);
        assertEquals(Status.DEADLINE_EXCEEDED, over.status());
      }
      Calls.close(orders);
    }
  }

  @Test
  void aServerCannotAnswerTheCallsOfAnother() throws Exception {
    try (Fabric fabric = Fabric.open("shm");
        Stranger stranger = new Stranger(fabric, true);
        CallServer server =
            Calls.serve(
                fabric,
                "orders@*",
                ServerOptions.DEFAULT,
                Calls.service(Orders.class, new Book()))) {
      Orders orders =
          Calls.client(
              Orders.class,
              fabric,
              stranger.server() + ",orders@" + server.address(),
              CallOptions.DEFAULT);
      int served = 0;
      for (int i = 0; i < 60; i++) {
        try {
          served += orders.running() == 0 ? 1 : 0; // another answer is the stranger's
        } catch (CallException e) {
          assertEquals(Status.ABORTED, e.status());
        }
      }
      assertTrue(served > 5, "the other server is called, too");
      assertEquals(
          server.statistics().succeeded() - 1, served, "and none of its calls is answered");
      Calls.close(orders);
    }
  }

  @Test
  void aServerThatDoesNotAnswerHoldsUpNoCallToAnother() throws IOException {
    try (Fabric fabric = Fabric.open("tcp");
        ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        CallServer server =
            Calls.serve(
                fabric,
                "orders@127.0.0.1:0",
                ServerOptions.DEFAULT,
                Calls.service(Orders.class, new Book()))) {
      Orders orders =
          Calls.client(
              Orders.class,
              fabric,
              "orders@127.0.0.1:%d,orders@%s".formatted(silent.getLocalPort(), server.address()),
              CallOptions.DEFAULT.withConnecting(Duration.ofSeconds(1)));
      int slow = 0;
      long end = System.nanoTime() + 1_500_000_000L;
      while (System.nanoTime() - end < 0) {
        long start = System.nanoTime();
        assertEquals(0, orders.running());
        slow += System.nanoTime() - start > 150_000_000L ? 1 : 0;
      }
      assertTrue(slow <= 2, slow + " calls waited for the server that does not answer");
      Calls.close(orders);
    }
  }
}
