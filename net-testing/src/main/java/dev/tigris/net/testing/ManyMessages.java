package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Counters;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Future;

/// Exchanges as many messages as a soak wants between two threads, both ways at the same time, of
/// lengths and in bursts that a seed decides. Checks each one's place in the order, its length and
/// its content, and in the end what both sides have counted.
public final class ManyMessages {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DEPTH = 32;
  private static final int LONGEST_BYTES = 80_000;

  /// One message of so many is long.
  private static final int ONE_LONG_OF = 256;

  private static final int SHORT_BYTES = 200;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private final long seed;
  private final int messages;

  /// @param messages how many each side sends
  private ManyMessages(long seed, int messages) {
    this.seed = seed;
    this.messages = messages;
  }

  /// Exchanges them.
  ///
  /// @param address an address to listen at, of the provider's own form
  /// @param messages how many, half of them each way
  public static void exchange(Fabric fabric, String address, long seed, int messages)
      throws Exception {
    ManyMessages all = new ManyMessages(seed, messages / 2);
    Side left = new Side(fabric);
    Side right = new Side(fabric);
    try (Listener listener = fabric.listen(address)) {
      Future<Connection> asked =
          left.start(
              () ->
                  fabric.connect(
                      listener.address(), 1, left.queue(), Attributes.DEFAULT, PATIENCE));
      ConnectionRequest request = Objects.requireNonNull(listener.next(PATIENCE));
      VirtualInterface accepted =
          right.call(() -> request.accept(right.queue(), Attributes.DEFAULT));
      VirtualInterface connected = asked.get().get();
      Future<Counters> there = right.start(() -> all.new End(right, accepted, 1).exchange());
      Future<Counters> here = left.start(() -> all.new End(left, connected, 0).exchange());
      check(all.messages, here.get(), there.get());
      check(all.messages, there.get(), here.get());
    } finally {
      Future<?> closing = left.startClosing();
      right.startClosing().get();
      closing.get();
    }
  }

  private static void check(int messages, Counters sender, Counters receiver) {
    assertEquals(messages, sender.messagesSent());
    assertEquals(messages, receiver.messagesReceived());
    assertEquals(sender.bytesSent(), receiver.bytesReceived());
    assertEquals(0, receiver.dropped() + receiver.refused());
  }

  /// The lengths of the messages one way.
  private static int length(SplittableRandom lengths) {
    return lengths.nextInt(ONE_LONG_OF) == 0
        ? lengths.nextInt(LONGEST_BYTES)
        : lengths.nextInt(SHORT_BYTES);
  }

  /// One side, in its thread.
  private final class End {
    private final Side side;
    private final VirtualInterface link;
    private final SplittableRandom sentLengths;
    private final SplittableRandom receivedLengths;
    private final SplittableRandom bursts;
    private final Ticket[] free = new Ticket[DEPTH];
    private int freeCount;
    private int sent;
    private int complete;
    private int received;

    /// @param number 0 or 1
    End(Side side, VirtualInterface link, int number) {
      this.side = side;
      this.link = link;
      this.sentLengths = new SplittableRandom(2 * seed + number);
      this.receivedLengths = new SplittableRandom(2 * seed + 1 - number);
      this.bursts = new SplittableRandom(seed ^ number);
    }

    Counters exchange() {
      for (int i = 0; i < DEPTH; i++) {
        free[freeCount++] = register();
        link.postReceive(register()).orThrow();
      }
      while (complete < messages || received < messages) {
        for (int burst = 1 + bursts.nextInt(DEPTH); burst > 0 && freeCount > 0; burst--) {
          send();
        }
        Descriptor next = side.queue().await(PATIENCE);
        assertNotNull(next, () -> "nothing has completed of " + this);
        for (; next != null; next = side.queue().poll()) {
          assertEquals(Status.DONE, next.status(), this::toString);
          if (next.isSend()) {
            complete++;
            free[freeCount++] = (Ticket) next;
          } else {
            receive((Ticket) next);
          }
        }
      }
      link.checkInvariants();
      return link.counters();
    }

    private Ticket register() {
      return link.register(Jbuf.allocate(LONGEST_BYTES, "test").asBytes());
    }

    private void send() {
      if (sent == messages) {
        return;
      }
      int length = length(sentLengths);
      Ticket message = free[--freeCount];
      MemorySegment memory = Side.bytes(message).segment();
      if (length >= 2 * Long.BYTES) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, sent * FACTOR);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, length - Long.BYTES, sent * FACTOR);
      }
      message.range(0, length);
      message.tag(sent++);
      link.postSend(message).orThrow();
    }

    private void receive(Ticket message) {
      int number = received++;
      int length = length(receivedLengths);
      if (message.tag() != number || message.transferredBytes() != length) {
        throw new AssertionError(
            "message %d of %d bytes came where %d of %d bytes was sent: %s"
                .formatted(message.tag(), message.transferredBytes(), number, length, this));
      }
      MemorySegment memory = Side.bytes(message).segment();
      if (length >= 2 * Long.BYTES
          && (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) != number * FACTOR
              || memory.get(ValueLayout.JAVA_LONG_UNALIGNED, length - Long.BYTES)
                  != number * FACTOR)) {
        throw new AssertionError("message %d has other content: %s".formatted(number, this));
      }
      if (number + DEPTH < messages) {
        link.postReceive(message).orThrow();
      }
    }

    @Override
    public String toString() {
      return "seed %d: %d sent, %d of them complete, %d received, of %d each way"
          .formatted(seed, sent, complete, received, messages);
    }
  }
}
