package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The two halves of the protocol, in any order of steps: each water arrives once and in order, in
/// a receive that it fits into, and both ends agree on how it ends.
class ProtocolTest {
  private static final int SLOT_BYTES = 100;

  private record Message(
      Kind kind, long number, long water, int count, int payload, long operand) {}

  /// Both ends, with the messages and receives between them.
  private static final class World {
    final Random random;
    final int window;
    final SenderProtocol sender;
    final ReceiverProtocol receiver;
    final ArrayDeque<Message> forth = new ArrayDeque<>();
    final ArrayDeque<Message> back = new ArrayDeque<>();
    final ArrayDeque<Message> grants = new ArrayDeque<>();

    /// The sizes of the posted receives.
    final ArrayDeque<Integer> posted = new ArrayDeque<>();

    /// The sizes of the waters that arrived, those that came in batches as 0.
    final ArrayDeque<Integer> arrived = new ArrayDeque<>();

    final List<Long> inHands = new ArrayList<>();
    final List<Integer> put = new ArrayList<>();
    boolean isEnding;
    boolean isStopped;
    boolean hasSaidStop;
    long seen;

    World(long seed) {
      random = new Random(seed);
      window = 1 + random.nextInt(6);
      sender = new SenderProtocol(window, SLOT_BYTES);
      receiver = new ReceiverProtocol(window, SLOT_BYTES);
      assertEquals(0, sender.message(), "the greeting");
      for (int i = 0; i < ReceiverProtocol.slots(window); i++) {
        post();
      }
    }

    void post() {
      posted.addLast(SLOT_BYTES);
      receiver.postedSlot();
    }

    boolean step() {
      boolean did =
          switch (random.nextInt(9)) {
            case 0, 1 -> putOne();
            case 2, 3 -> send();
            case 4 -> deliverForth();
            case 5 -> deliverBack();
            case 6 -> take();
            case 7 -> finish();
            default -> tell();
          };
      sender.checkInvariants();
      receiver.checkInvariants();
      return did;
    }

    boolean putOne() {
      if (isEnding || sender.isStopped() || sender.outstanding() == window) {
        return false;
      }
      int size = random.nextInt(3) == 0 ? SLOT_BYTES + 1 + random.nextInt(50) : random.nextInt(60);
      sender.accept(size);
      put.add(size);
      return true;
    }

    boolean send() {
      switch (sender.next()) {
        case NOTHING -> {
          return false;
        }
        case WATER -> {
          long first = sender.head();
          int count = 0;
          int payload = 0;
          do {
            payload += sender.size(sender.head());
            sender.tookHead();
            count++;
          } while (random.nextBoolean()
              && sender.next() == SenderProtocol.Step.WATER
              && payload + sender.size(sender.head()) <= SLOT_BYTES);
          Kind kind = count == 1 && random.nextBoolean() ? Kind.WATER : Kind.BATCH;
          forth.add(new Message(kind, sender.message(), first, count, payload, 0));
        }
        case GRANTED -> {
          long water = sender.head();
          int size = sender.size(water);
          sender.tookHead();
          forth.add(new Message(Kind.GRANTED, sender.message(), water, 1, size, 0));
        }
        case ANNOUNCE -> {
          long water = sender.announced();
          forth.add(new Message(Kind.ANNOUNCE, sender.message(), water, 0, 0, sender.size(water)));
          sender.tookAnnouncement();
        }
        case FILLER -> forth.add(new Message(Kind.FILLER, sender.message(), 0, 0, 0, 0));
        case END -> {
          forth.add(new Message(Kind.END, sender.message(), sender.head(), 0, 0, 0));
          sender.tookEnd();
        }
      }
      return true;
    }

    boolean deliverForth() {
      if (forth.isEmpty() || posted.isEmpty()) {
        return false;
      }
      Message next = forth.removeFirst();
      int room = posted.removeFirst();
      assertTrue(next.payload <= room, () -> next + " came in " + room);
      receiver.receive(next.kind, next.number, next.water, next.count, next.payload, next.operand);
      switch (next.kind) {
        case BATCH -> {
          for (int i = 0; i < next.count; i++) {
            arrive(next.water + i, 0);
          }
          post();
        }
        case WATER -> arrive(next.water, SLOT_BYTES);
        case GRANTED -> arrive(next.water, next.payload);
        case ANNOUNCE -> {
          post();
          int size = (int) next.operand;
          posted.addLast(size);
          long receive = receiver.postedGrant(next.water, size);
          grants.add(new Message(Kind.GRANT, 0, receiver.finished(), 0, 0, receive));
        }
        default -> {
          if (room == SLOT_BYTES) {
            post();
          }
        }
      }
      return true;
    }

    void arrive(long water, int room) {
      assertEquals(seen++, water, "in order");
      if (!isStopped) {
        arrived.add(room);
      } else if (room == SLOT_BYTES) {
        post();
      }
    }

    boolean deliverBack() {
      if (back.isEmpty()) {
        return false;
      }
      Message next = back.removeFirst();
      boolean _ = sender.receive(next.kind, next.number, next.water, next.operand);
      return true;
    }

    boolean take() {
      if (arrived.isEmpty()) {
        return false;
      }
      receiver.take();
      inHands.add((long) arrived.removeFirst());
      return true;
    }

    boolean finish() {
      if (inHands.isEmpty()) {
        return false;
      }
      long room = inHands.remove(random.nextInt(inHands.size()));
      if (room == SLOT_BYTES) {
        post();
      }
      receiver.finish();
      return true;
    }

    void stop() {
      isStopped = true;
      receiver.stop();
      while (!arrived.isEmpty()) {
        if (arrived.removeFirst() == SLOT_BYTES) {
          post();
        }
      }
    }

    boolean tell() {
      if (!grants.isEmpty()) {
        Message grant = grants.removeFirst();
        long number = receiver.message(Kind.GRANT, grant.water);
        back.add(new Message(Kind.GRANT, number, grant.water, 0, 0, grant.operand));
      } else if (isStopped && !hasSaidStop) {
        hasSaidStop = true;
        say(Kind.STOP);
      } else if (receiver.isFinal()) {
        say(Kind.FINAL);
      } else if (receiver.unacknowledged() > 0) {
        say(Kind.ACK);
      } else {
        return false;
      }
      return true;
    }

    void say(Kind kind) {
      long number = receiver.message(kind, receiver.finished());
      back.add(new Message(kind, number, receiver.finished(), 0, 0, receiver.taken()));
    }

    void run() {
      int steps = random.nextInt(400);
      for (int i = 0; i < steps; i++) {
        boolean _ = step();
      }
      if (random.nextInt(3) == 0) {
        stop();
      }
      isEnding = true;
      sender.end();
      for (int idle = 0; !sender.isOver(); ) {
        idle = step() ? 0 : idle + 1;
        assertTrue(idle < 1000, "nothing goes on");
      }
      assertTrue(receiver.isOver());
      if (!isStopped) {
        assertEquals(put.size(), receiver.finished());
      }
    }
  }

  @Test
  void carriesEachWaterOnceInAnyOrderOfSteps() {
    for (long seed = 0; seed < 4000; seed++) {
      try {
        new World(seed).run();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void noticesALostARepeatedAndAReorderedMessage() {
    ReceiverProtocol receiver = new ReceiverProtocol(4, SLOT_BYTES);
    receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0);
    assertThrows(
        ProtocolException.class, () -> receiver.receive(Kind.BATCH, 3, 2, 1, 16, 0), "lost");
    assertThrows(
        ProtocolException.class, () -> receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0), "repeated");
    SenderProtocol sender = new SenderProtocol(4, SLOT_BYTES);
    assertThrows(ProtocolException.class, () -> sender.receive(Kind.ACK, 1, 0, 0), "lost");
  }

  @Test
  void refusesASenderThatDoesNotKeepToItsWindow() {
    ReceiverProtocol receiver = new ReceiverProtocol(2, SLOT_BYTES);
    receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0);
    assertThrows(ProtocolException.class, () -> receiver.receive(Kind.BATCH, 2, 2, 1, 16, 0));
    assertThrows(ProtocolException.class, () -> receiver.receive(Kind.END, 2, 1, 0, 0, 0));
  }

  @Test
  void refusesAReceiverThatHasFinishedMoreThanWasSent() {
    SenderProtocol sender = new SenderProtocol(2, SLOT_BYTES);
    sender.accept(10);
    assertThrows(ProtocolException.class, () -> sender.receive(Kind.ACK, 0, 1, 1));
    assertThrows(
        ProtocolException.class,
        () -> new SenderProtocol(2, SLOT_BYTES).receive(Kind.FINAL, 0, 0, 0));
  }
}
