package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.MemoryUse;
import dev.tigris.net.Attributes;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The copies of messages that a wrapper makes, where each is sent twice.
class FaultyCopiesTest extends FabricContract {
  FaultyCopiesTest() {
    super(new FaultySubject("shm", "*", Faults.NONE.withDuplication(1)));
  }

  @Test
  void findRoomInTheDeepestQueues() {
    int depth = Attributes.MAXIMUM_DEPTH;
    connect(Attributes.DEFAULT.withDepths(depth, 64));
    Ticket first = left.memory(text("twice"));
    left.run(
        () -> {
          for (int i = 0; i < depth; i++) {
            Ticket each = left.link().register(Side.bytes(first)).range(0, 5).tag(i);
            left.link().postSend(each).orThrow();
          }
        });
    AtomicBoolean arrived = new AtomicBoolean();
    Future<Integer> sending =
        left.start(
            () -> {
              int sent = 0;
              while (!arrived.get()) {
                sent += left.queue().await(Side.SHORT_NANOS) == null ? 0 : 1;
                left.link().checkInvariants();
              }
              return sent;
            });
    for (int i = 0; i < 64; i++) {
      right.receive(right.memory(5));
    }
    right.run(
        () -> {
          int[] times = new int[depth];
          for (int i = 0; i < 2 * depth; i++) {
            Descriptor message = right.queue().await(Side.LONG_NANOS);
            assertNotNull(message, i + " have arrived");
            times[message.tag()]++;
            right.link().postReceive(message).orThrow();
          }
          assertTrue(Arrays.stream(times).allMatch(each -> each == 2));
        });
    arrived.set(true);
    assertEquals(depth, get(sending));
  }

  @Test
  void cannotBeMadeOfMemoryThatIsGone(@TempDir Path folder) throws IOException {
    connect();
    Path file = Files.write(folder.resolve("message"), new byte[5_000]);
    Bytes mapped = Jbuf.map(file, Mapping.SHARED).asBytes();
    Ticket message = left.call(() -> left.link().register(mapped));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(0);
    }
    expect(left, left.send(message), Status.FLUSHED);
    expectBroken(left);
    String why = left.link().failure().getMessage();
    assertTrue(why.contains("file"), why);
    expectBroken(right);
  }

  @Test
  @Slow("a refusal waits for ten seconds where memory is given back meanwhile")
  void endTheConnectionWhereThereIsNoMemoryForThem() {
    connect();
    int bytes = 8 << 20;
    Ticket message = left.memory(bytes);
    List<Jbuf> others = takeAllBut(bytes / 2);
    expect(left, left.send(message), Status.FLUSHED);
    expectBroken(left);
    String why = left.link().failure().getMessage();
    assertTrue(why.contains("memory for a copy"), why);
    expectBroken(right);
    others.forEach(Jbuf::free);
  }

  /// Takes all memory but less than `bytes`; what has been dropped before, too, as its owner would
  /// get it back by asking.
  private static List<Jbuf> takeAllBut(long bytes) {
    MemoryUse use = Jbuf.use();
    List<Jbuf> taken = new ArrayList<>();
    taken.add(Jbuf.allocate(use.budgetBytes() - use.usedBytes() - bytes, "test"));
    while (true) {
      try {
        taken.add(Jbuf.allocate(bytes, "test"));
      } catch (MemoryBudgetException e) {
        return taken;
      }
    }
  }

  @Test
  void areMadeAnewWhereOneIsTooSmall() {
    connect();
    for (int bytes : new int[] {10, 1000, 10, 100_000}) {
      Ticket once = right.receive(right.memory(bytes));
      Ticket again = right.receive(right.memory(bytes));
      expect(left, left.send(left.memory(bytes)), Status.DONE);
      expect(right, once, Status.DONE);
      left.expectNothing();
      expect(right, again, Status.DONE);
      assertEquals(bytes, again.transferredBytes());
      left.run(left.link()::checkInvariants);
    }
  }
}
