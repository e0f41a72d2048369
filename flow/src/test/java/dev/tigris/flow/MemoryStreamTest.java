package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class MemoryStreamTest {
  /// Two streams in a row, and everything a module may do with their waters, beside a model of
  /// what must come out.
  private static final class Model {
    final MemoryStream first;
    final MemoryStream second;
    final SplittableRandom random;
    final ArrayDeque<Long> onFirst = new ArrayDeque<>();
    final ArrayDeque<Long> onSecond = new ArrayDeque<>();
    final List<Water> lentByFirst = new ArrayList<>();
    final List<Water> lentBySecond = new ArrayList<>();
    final List<Water> kept = new ArrayList<>();
    final List<Water> made = new ArrayList<>();
    long next;

    Model(int firstWindow, int secondWindow, long seed) {
      first = new MemoryStream(new StreamKind.Place("first", firstWindow));
      second = new MemoryStream(new StreamKind.Place("second", secondWindow));
      random = new SplittableRandom(seed);
    }

    void step() {
      switch (random.nextInt(10)) {
        case 0 -> {
          if (made.size() < 5) {
            made.add(first.spring().createWater(8 << random.nextInt(6)));
          }
        }
        case 1, 2 -> {
          if (first.credits() > 0) {
            Water water = made.isEmpty() ? first.spring().createWater(8) : take(made);
            onFirst.addLast(next);
            water.bytes().setLong(0, next++);
            first.put(water);
          }
        }
        case 3, 4 -> receive(first, onFirst, lentByFirst);
        case 5, 6 -> receive(second, onSecond, lentBySecond);
        case 7 -> release(lentByFirst.isEmpty() ? lentBySecond : lentByFirst);
        case 8 -> {
          List<Water> from = kept.isEmpty() ? lentByFirst : kept;
          if (!from.isEmpty() && second.credits() > 0) {
            Water water = take(from);
            onSecond.addLast(Numbers.number(water));
            second.put(water);
          }
        }
        default -> {
          if (!lentByFirst.isEmpty() && kept.size() < 5) {
            Water water = take(lentByFirst);
            water.keep();
            kept.add(water);
          } else {
            release(kept.isEmpty() ? lentBySecond : kept);
          }
        }
      }
      first.checkInvariants();
      second.checkInvariants();
      assertEquals(onFirst.size() + lentByFirst.size(), first.outstanding());
      assertEquals(onSecond.size() + lentBySecond.size(), second.outstanding());
    }

    private static void receive(MemoryStream stream, ArrayDeque<Long> model, List<Water> lent) {
      Water water = stream.poll();
      Long expected = model.pollFirst();
      if (expected == null) {
        assertNull(water);
      } else {
        assertNotNull(water);
        assertEquals(expected, Numbers.number(water));
        lent.add(water);
      }
    }

    private Water take(List<Water> waters) {
      return waters.remove(random.nextInt(waters.size()));
    }

    private void release(List<Water> waters) {
      if (!waters.isEmpty()) {
        take(waters).release();
      }
    }
  }

  @Property(tries = 200)
  void doesWhatTheModelDoes(
      @ForAll @IntRange(min = 1, max = 9) int firstWindow,
      @ForAll @IntRange(min = 1, max = 9) int secondWindow,
      @ForAll long seed) {
    Model model = new Model(firstWindow, secondWindow, seed);
    for (int i = 0; i < 400; i++) {
      model.step();
    }
    model.first.close(false);
    model.second.close(false);
  }

  @Example
  void headerLiesBeforeTheDataAndIsOutOfReach() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("header", 2));
    stream.source(17);
    stream.useChecksums();
    for (int i = 0; i < 3; i++) {
      Numbers.put(stream, i);
      Water water = stream.poll();
      assertNotNull(water);
      assertEquals(17, water.source());
      assertEquals(i, water.sequence());
      water.bytes().set(0, (byte) 1);
      assertThrows(IndexOutOfBoundsException.class, () -> water.bytes().set(-1, (byte) 1));
      water.release();
    }
    stream.close(true);
  }

  @Example
  void givesTheReceiverAWaterOfItsOwnAndTheSameEachTime() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("twins", 1));
    Water sent = stream.spring().createWater(8);
    sent.bytes().setInt(0, 17);
    sent.setSize(4);
    stream.put(sent);
    Water received = stream.poll();
    assertNotNull(received);
    assertNotSame(sent, received);
    assertEquals(4, received.size());
    assertEquals(17, received.bytes().getInt(0));
    assertSame(received.bytes(), received.bytes());
    assertEquals(4, received.bytes().length());
    assertThrows(IndexOutOfBoundsException.class, () -> received.bytes().get(4));
    received.setSize(12);
    assertEquals(12, received.bytes().length());
    assertThrows(IllegalStateException.class, sent::bytes);
    received.release();
    assertThrows(IllegalStateException.class, received::bytes);

    assertSame(sent, stream.spring().createWater(8));
    stream.put(sent);
    assertSame(received, stream.poll());
    assertEquals(8, received.size());
    received.release();
    stream.checkInvariants();
    stream.close(true);
  }

  @Example
  void aWaterThatGoesOnComesHomeAsTheOneThatWasMade() {
    MemoryStream first = new MemoryStream(new StreamKind.Place("first", 1));
    MemoryStream second = new MemoryStream(new StreamKind.Place("second", 1));
    for (int i = 0; i < 3; i++) {
      Water sent = first.spring().createWater((int) Container.HEADER_BYTES);
      Container container = sent.container();
      first.put(sent);
      Water passed = first.poll();
      assertNotNull(passed);
      second.put(passed);
      Water received = second.poll();
      assertNotNull(received);
      assertSame(container, received.container(), "opened once");
      received.release();
      assertSame(sent, first.spring().createWater((int) Container.HEADER_BYTES));
      assertThrows(IllegalStateException.class, passed::release);
      sent.release();
      first.checkInvariants();
      second.checkInvariants();
    }
    first.close(true);
    second.close(true);
  }

  /// With the twin in its slot, the spring would give up a water that it has not made.
  @Example
  void aWaterThatIsPutOnItsOwnStreamAgainComesHomeAsTheOneThatWasMade() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("again", 2));
    Water first = stream.spring().createWater(8);
    Water second = stream.spring().createWater(8);
    stream.put(second);
    stream.put(take(stream));
    take(stream).release();
    stream.checkInvariants();
    assertSame(second, stream.spring().createWater(8));
    second.release();
    stream.spring().createWater(1000).release(); // the small one is retired
    first.release();
    stream.checkInvariants();
    stream.close(true);
  }

  /// The collector proves that nobody holds a buffer, and a stream is somebody.
  @Example
  void keepsNoBufferOfAWaterThatWasRetired() throws InterruptedException {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("retired", 2));
    List<WeakReference<Bytes>> small = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      stream.put(stream.spring().createWater(8));
    }
    for (int i = 0; i < 2; i++) {
      Water water = take(stream);
      small.add(new WeakReference<>(water.bytes()));
      water.release();
    }
    for (int i = 0; i < 2; i++) { // and nobody takes them
      stream.put(stream.spring().createWater(1000));
    }
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (small.stream().anyMatch(bytes -> bytes.get() != null)) {
      assertTrue(System.nanoTime() < deadline, "a view of a retired water is still held");
      System.gc();
    }
    stream.close(true);
  }

  @Example
  void takesNoWaterBackWhoseTwinIsLent() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("lent", 2));
    Water sent = stream.spring().createWater(8);
    stream.put(sent);
    Water received = take(stream);
    IllegalStateException refused = assertThrows(IllegalStateException.class, sent::returnHome);
    assertTrue(String.valueOf(refused.getMessage()).contains("lent to a module by stream lent"));
    received.release();
    stream.checkInvariants();
    stream.close(true);
  }

  private static Water take(MemoryStream stream) {
    Water water = stream.poll();
    assertNotNull(water);
    return water;
  }

  /// However long it goes round: otherwise each round would leave another one behind.
  @Example
  void aWaterAndItsTwinTakeTurnsFromStreamToStream() {
    MemoryStream there = new MemoryStream(new StreamKind.Place("there", 1));
    MemoryStream back = new MemoryStream(new StreamKind.Place("back", 1));
    Water made = there.spring().createWater(8);
    Water twin = null;
    Water at = made;
    for (int round = 0; round < 3; round++) {
      there.put(at);
      at = there.poll();
      assertNotNull(at);
      twin = twin == null ? at : twin;
      assertSame(twin, at);
      assertThrows(IllegalStateException.class, made::bytes);
      back.put(at);
      at = back.poll();
      assertSame(made, at);
      assertThrows(IllegalStateException.class, twin::bytes);
    }
    made.release();
    assertSame(made, there.spring().createWater(8));
    there.close(true);
    back.close(true);
  }

  @Example
  void whatAFileBringsIsNotTheContainerOfBefore() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("stale", 1));
    BufferSpring spring = new BufferSpring("file");
    for (int round = 0; round < 2; round++) {
      Water brought = spring.createWater((int) Container.HEADER_BYTES);
      for (int i = 0; i < Container.HEADER_BYTES; i++) {
        brought.bytes().set(i, (byte) round); // a new container is all zeros
      }
      brought.filled((int) Container.HEADER_BYTES);
      if (round == 1) {
        assertThrows(CorruptContainerException.class, brought::container);
      }
      stream.put(brought);
      Water received = stream.poll();
      assertNotNull(received);
      if (round == 1) {
        assertThrows(CorruptContainerException.class, received::container);
      } else {
        assertNotNull(received.container());
      }
      received.release();
    }
    stream.close(true);
    spring.close();
  }

  @Example
  void noticesDataThatChangedUnderWay() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("checked", 2));
    stream.useChecksums();
    Numbers.put(stream, 1);
    Water intact = stream.poll();
    assertNotNull(intact);
    intact.release();
    Water water = stream.spring().createWater(8);
    var bytes = water.bytes();
    bytes.setLong(0, 5);
    stream.put(water);
    bytes.setLong(0, 6);
    String message = assertThrows(StreamException.class, stream::poll).getMessage();
    assertEquals(
        "stream checked: the checksum of water 1 of source 0 does not match: a module wrote to the water after it had put it, or the memory is damaged",
        message);
    stream.close(false);
  }

  @Example
  void watersCarryContainers() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("containers", 2));
    for (int round = 0; round < 5; round++) {
      Water water = stream.spring().createWater(256);
      water.bytes().fill((byte) round);
      Container container = water.container();
      assertEquals(Container.HEADER_BYTES, container.usedBytes());
      water.setSize((int) container.usedBytes());
      stream.put(water);
      Water taken = stream.poll();
      assertNotNull(taken);
      assertEquals(Container.HEADER_BYTES, taken.container().usedBytes());
      taken.release();
    }
    stream.close(true);
  }

  @Example
  void refusesASizeThatDoesNotFit() {
    MemoryStream stream = new MemoryStream(new StreamKind.Place("sizes", 2));
    Water water = stream.spring().createWater(100);
    assertThrows(IllegalArgumentException.class, () -> water.setSize(water.capacity() + 1));
    assertThrows(IllegalArgumentException.class, () -> water.setSize(-1));
    assertThrows(IllegalArgumentException.class, () -> stream.spring().createWater(-1));
    stream.close(false);
  }

  @Example
  void refusesAWindowThatNoRingCanHold() {
    Reservoir reservoir = Reservoir.lottery();
    int tooMany = StreamKind.Place.MOST_WINDOW + 1;
    assertThrows(IllegalArgumentException.class, () -> reservoir.withWindow(tooMany));
    assertThrows(IllegalArgumentException.class, () -> new StreamKind.Place("large", tooMany));
    String message =
        assertThrows(IllegalArgumentException.class, () -> Stream.memory(Integer.MAX_VALUE))
            .getMessage();
    assertEquals("a window of 2147483647 waters: it must be between 1 and 1048576", message);
  }

  @Example
  void carriesWhatTheLargestWindowAllows() {
    Stream stream = Stream.memory(StreamKind.Place.MOST_WINDOW);
    for (int i = 0; i < 1000; i++) {
      Numbers.put(stream, i);
    }
    for (int i = 0; i < 1000; i++) {
      Water water = stream.poll();
      assertNotNull(water);
      assertEquals(i, Numbers.number(water));
      water.release();
    }
    stream.close(true);
  }
}
