package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Wait;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Messages that fit a packet make no Java objects, on either side.
class MessageAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration SLICE = Duration.ofMillis(100);
  private static final int MANY = 1000;
  private static final int PAYLOAD_BYTES = 1024;

  private volatile boolean isOver;
  private volatile long serverAllocated = -1;
  private long serverBefore;
  private int served;
  private int answers;

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  void makesNoObjects(String provider) throws InterruptedException {
    BlockingQueue<String> address = new ArrayBlockingQueue<>(1);
    Thread server = Thread.ofPlatform().start(() -> serve(provider, address));
    try (Bundle bundle = Bundle.open(Options.DEFAULT, provider)) {
      Endpoint client = bundle.endpoint("client", 1);
      client.handler(1, (token, message) -> answers++);
      client.map(0, provider, address.take(), "server", 1, PATIENCE);
      Bytes payload = Jbuf.allocate(PAYLOAD_BYTES, "test").asBytes();
      long[] words = {1, 2, 3};
      Wait.until(
          () -> "the server allocates %d bytes".formatted(serverAllocated),
          Wait.PATIENCE,
          () -> {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MANY; i++) {
              answers = 0;
              client.request(0, 1, i);
              client.request(0, 1, words, payload, 0, PAYLOAD_BYTES);
              try (Draft draft = client.prepare(0, 1, 1, PAYLOAD_BYTES)) {
                draft.word(0, i).setLong(0, i).commit();
              }
              client.request(0, 2);
              while (answers < 3) {
                boolean _ = bundle.await(PATIENCE);
              }
            }
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            return allocated == 0 && serverAllocated == 0;
          });
      bundle.checkInvariants();
    } finally {
      isOver = true;
      server.join();
    }
    assertEquals(0, serverAllocated);
  }

  private void serve(String provider, BlockingQueue<String> address) {
    try (Bundle bundle = Bundle.open(Options.DEFAULT, provider)) {
      Endpoint server = bundle.endpoint("server", 1);
      Bytes payload = Jbuf.allocate(PAYLOAD_BYTES, "test").asBytes();
      long[] words = {4, 5};
      server.handler(
          1,
          (token, message) -> {
            if (message.payloadBytes() > 0) {
              token.reply(1, words, payload, 0, PAYLOAD_BYTES);
            } else {
              token.reply(1, message.word(0));
            }
          });
      server.handler(2, (token, message) -> count());
      address.add(bundle.listen(provider, provider.equals("shm") ? "*" : "127.0.0.1:0"));
      while (!isOver) {
        boolean _ = bundle.await(SLICE);
      }
    }
  }

  private void count() {
    if (++served % MANY == 0) {
      long now = THREADS.getCurrentThreadAllocatedBytes();
      serverAllocated = now - serverBefore;
      serverBefore = now;
    }
  }
}
