package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Container;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Elements of streams that are made in the container of the call.
class StreamContainerTest {
  /// Streams, and a call that uses containers beside them.
  @Service
  interface Numbered {
    Results<Receipt> asTheyAreWanted(int count);

    Results<Receipt> allAtFirst(int count);

    Receipt one(int number);
  }

  /// Numbers its elements.
  private static final class Numbers implements Numbered {
    private static Receipt receipt(int number) {
      Receipt receipt = new Receipt(Calls.container());
      receipt.order = number;
      return receipt;
    }

    @Override
    public Results<Receipt> asTheyAreWanted(int count) {
      // An iterator over the streams of a stream makes all elements of one of these at once.
      return Results.of(
          IntStream.range(0, count / 10)
              .boxed()
              .flatMap(ten -> IntStream.range(0, 10).mapToObj(i -> receipt(10 * ten + i)))
              .iterator());
    }

    @Override
    public Results<Receipt> allAtFirst(int count) {
      List<Receipt> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(receipt(i));
      }
      return Results.of(all);
    }

    @Override
    public Receipt one(int number) {
      return receipt(number);
    }
  }

  @Test
  void elementsStayUntilTheyAreSentAndContainersDoNotFill() {
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(
                fabric,
                "numbers@*",
                ServerOptions.DEFAULT.withResultBytes(4096),
                Calls.service(Numbered.class, new Numbers()))) {
      Numbered numbers =
          Calls.client(Numbered.class, fabric, "numbers@" + server.address(), CallOptions.DEFAULT);
      read(numbers, numbers.asTheyAreWanted(500), 500);
      int some = (4096 - (int) Container.HEADER_BYTES) / 32;
      read(numbers, numbers.allAtFirst(some), some);
      assertEquals(0, Calls.statistics(numbers).buffers());
      Wait.until(
          () -> "a buffer is out: " + server.statistics(),
          Wait.PATIENCE,
          () -> server.statistics().buffers() == 0);
      Calls.close(numbers);
    }
  }

  private static void read(Numbered numbers, Results<Receipt> stream, int count) {
    try (stream) {
      for (int i = 0; i < count; i++) {
        assertTrue(stream.hasNext());
        assertEquals(i, stream.next().order);
        if (i % 10 == 0) { // takes a container of those that are free
          Receipt other = numbers.one(1_000_000 + i);
          assertEquals(1_000_000 + i, other.order);
          Calls.release(numbers, other);
        }
      }
      assertFalse(stream.hasNext());
    }
  }
}
