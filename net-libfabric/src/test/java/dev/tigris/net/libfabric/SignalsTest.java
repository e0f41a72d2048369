package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// Loading libfabric replaces handlers of signals that the JVM needs: without being put back they
/// end the process at the first implicit null check.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class SignalsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  static boolean isInstalled() {
    return new LibfabricProvider().obstacle().isEmpty();
  }

  /// Has a field that compiled code reads without a check: the signal is the check.
  private static final class Box {
    int content = 1;
  }

  /// Sends a message through the provider that is named, with null checks before and after.
  static final class Survivor {
    public static void main(String[] arguments) throws Exception {
      long sum = 0;
      Box box = new Box();
      for (int i = 0; i < 200_000; i++) { // compiled, without a null having been seen
        sum += content(box) + again(box);
      }
      exchange(arguments[0]);
      int thrown = 0;
      for (int i = 0; i < 10; i++) {
        thrown += throwsIt(() -> content(null)) + throwsIt(() -> again(null));
      }
      System.out.println(sum + " " + thrown);
    }

    private static int content(Box box) {
      return box.content;
    }

    private static int again(Box box) {
      return box.content;
    }

    private static int throwsIt(Callable<Integer> access) throws Exception {
      try {
        return 100 * access.call();
      } catch (NullPointerException expected) {
        return 1;
      }
    }

    private static void exchange(String provider) throws Exception {
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try (Fabric fabric = Fabric.open(provider);
          Listener listener = fabric.listen("127.0.0.1:0")) {
        Future<byte[]> received = thread.submit(() -> receive(fabric, listener));
        try (CompletionQueue queue = fabric.completionQueue();
            VirtualInterface peer =
                fabric.connect(listener.address(), 1, queue, Attributes.DEFAULT, PATIENCE).get()) {
          Bytes bytes = Jbuf.allocate(1_000_000).asBytes();
          bytes.set(999_999, (byte) 42);
          Ticket ticket = peer.register(bytes);
          peer.postSend(ticket).orThrow();
          assertEquals(Status.DONE, queue.await(Long.MAX_VALUE).status());
          peer.deregister(ticket);
        }
        assertEquals(42, received.get()[999_999]);
      } finally {
        thread.shutdown();
      }
    }

    private static byte[] receive(Fabric fabric, Listener listener) {
      ConnectionRequest request = listener.next(PATIENCE);
      assertNotNull(request);
      try (CompletionQueue queue = fabric.completionQueue();
          VirtualInterface peer = request.accept(queue, Attributes.DEFAULT)) {
        Bytes bytes = Jbuf.allocate(1_000_000).asBytes();
        Ticket ticket = peer.register(bytes);
        peer.postReceive(ticket).orThrow();
        assertEquals(Status.DONE, queue.await(Long.MAX_VALUE).status());
        byte[] content = new byte[1_000_000];
        bytes.copyTo(0, content, 0, content.length);
        peer.deregister(ticket);
        return content;
      }
    }
  }

  @Test
  void compiledNullChecksWorkAfterMessagesWereExchanged(@TempDir Path directory) {
    survive("libfabric", directory);
  }

  @Test
  void compiledNullChecksWorkAfterDatagramsWereExchanged(@TempDir Path directory) {
    survive("libfabric-rdm", directory);
  }

  private static void survive(String provider, Path directory) {
    Outcome outcome =
        Jvm.of(Survivor.class)
            .options("-Xbatch", "-XX:-CreateCoredumpOnCrash")
            .options("-XX:ErrorFile=" + directory.resolve("hs_err.log"))
            .command(provider)
            .run()
            .expect(0);
    assertEquals("400000 20", outcome.lines().getLast(), outcome.output());
    assertEquals(List.of(), List.of(directory.toFile().list()));
  }
}
