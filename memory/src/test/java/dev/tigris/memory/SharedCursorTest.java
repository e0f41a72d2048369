package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Threads that share a cursor against the rule find elements, and what lies in them, in no order;
/// and each thing where one of its kind is: a left room's text is none of a right room's, nor half
/// of one element's and half of another's.
class SharedCursorTest {
  private static final int ROUNDS = Tier.choose(10_000, 50_000, 5_000_000);
  private static final int THREADS = 3;

  /// What is stored says which element it is of, and of what kind it is, in its last digit.
  private static final int KINDS = 10;

  private static final int HOUSE = 1;
  private static final int LEFT = 2;
  private static final int RIGHT = 3;
  private static final int ATTIC = 4;

  static final class Spot extends Pso {
    int mark;

    /// Is written all the time.
    int scribble;

    Spot(Container container) {
      super(container);
    }
  }

  static final class Room extends Pso {
    int mark;
    @InPlace Spot spot;

    @Capacity(9)
    Utf8 name;

    @Capacity(4)
    Ints cells;

    Spot garden;
    @InPlace Spot corner;

    Room(Container container) {
      super(container);
    }
  }

  static class House extends Pso {
    int mark;
    @InPlace Room left;

    @Capacity(9)
    Utf8 name;

    @InPlace Room right;

    @Capacity(3)
    Longs cells;

    Spot garden;

    House(Container container) {
      super(container);
    }
  }

  /// Has a room that lies far from where it begins.
  static final class Tower extends House {
    @Capacity(1_000_000)
    Bytes stairs;

    @InPlace Room attic;

    Tower(Container container) {
      super(container);
    }
  }

  /// What is visited. Where there are few elements, threads meet at the last one often.
  enum Visited {
    NEAR(House.class, 50),
    LIST(House.class, 50),
    FAR(Tower.class, 40),
    MORE_THAN_2_GIB(Tower.class, 2_200);

    final Class<? extends House> type;
    final int count;

    Visited(Class<? extends House> type, int count) {
      this.type = type;
      this.count = count;
    }

    int strideBytes() {
      return PsoLayout.of(type).sizeBytes();
    }

    long bytes() {
      return (long) count * strideBytes() + (1 << 20);
    }
  }

  private static int offset(Class<? extends Pso> type, String field) {
    return PsoLayout.of(type).fields().stream()
        .filter(each -> each.name().equals(field))
        .findFirst()
        .orElseThrow()
        .offset();
  }

  private static final int LEFT_AT = offset(House.class, "left");
  private static final int RIGHT_AT = offset(House.class, "right");
  private static final int ATTIC_AT = offset(Tower.class, "attic");
  private static final int SPOT_AT = offset(Room.class, "spot");
  private static final int CORNER_AT = offset(Room.class, "corner");

  /// Elements, and behind them what they refer to, one of each kind for an element.
  private static final class Town<H extends House> {
    private final PsoTable<H> houses;
    private final PsoTable<Spot> gardens;
    private final int count;
    private final int strideBytes;
    private final long start;
    final PsoCursor<H> cursor;

    Town(Container container, Class<H> type, Visited visited) {
      count = visited.count;
      strideBytes = visited.strideBytes();
      houses = new PsoTable<>(container, type, count);
      gardens = new PsoTable<>(container, Spot.class, (long) count * KINDS);
      while (gardens.size() < gardens.capacity()) {
        gardens.add();
      }
      PsoList<H> list = new PsoList<>(container, type, 2 * count);
      for (int element = 0; element < count; element++) {
        H house = houses.add();
        build(house, element);
        list.add(house);
        list.add(null);
      }
      start = houses.get(0).offset();
      cursor = visited == Visited.LIST ? list.cursor() : houses.cursor();
    }

    private void build(House house, int element) {
      house.mark = mark(element, HOUSE);
      house.name.set(name("house", element));
      for (int i = 0; i < 3; i++) {
        house.cells.set(i, mark(element, HOUSE));
      }
      house.garden = garden(element, HOUSE);
      build(house.left, element, LEFT, "left_");
      build(house.right, element, RIGHT, "right");
      if (house instanceof Tower tower) {
        build(tower.attic, element, ATTIC, "attic");
      }
    }

    private void build(Room room, int element, int kind, String name) {
      room.mark = mark(element, kind);
      room.spot.mark = mark(element, kind);
      room.corner.mark = mark(element, kind);
      room.name.set(name(name, element));
      for (int i = 0; i < 4; i++) {
        room.cells.set(i, mark(element, kind));
      }
      room.garden = garden(element, kind);
    }

    private Spot garden(int element, int kind) {
      Spot garden = gardens.get(mark(element, kind));
      garden.mark = mark(element, kind);
      return garden;
    }

    /// What is read lies in an element, at the place for it.
    void check(House house) {
      requireAt(house, 0);
      requireMark(house.mark, HOUSE);
      requireName(house.name.toString(), "house");
      Longs cells = house.cells;
      requireMark((int) cells.get(0), HOUSE);
      assertEquals(cells.get(0), cells.get(1));
      assertEquals(cells.get(0), cells.get(2));
      requireGarden(house.garden, HOUSE);
      check(house.left, LEFT, LEFT_AT, "left_");
      check(house.right, RIGHT, RIGHT_AT, "right");
      if (house instanceof Tower tower) {
        check(tower.attic, ATTIC, ATTIC_AT, "attic");
      }
    }

    private void check(Room room, int kind, int at, String name) {
      requireAt(room, at);
      requireMark(room.mark, kind);
      requireName(room.name.toString(), name);
      assertEquals(name.charAt(0), room.name.byteAt(0));
      Ints cells = room.cells;
      requireMark(cells.get(0), kind);
      for (int i = 1; i < 4; i++) {
        assertEquals(cells.get(0), cells.get(i));
      }
      requireGarden(room.garden, kind);
      requireAt(room.spot, at + SPOT_AT);
      requireMark(room.spot.mark, kind);
      requireAt(room.corner, at + CORNER_AT);
      requireMark(room.corner.mark, kind);
      room.spot.scribble = kind;
      room.corner.scribble = -kind;
    }

    private void requireAt(Pso object, int at) {
      long distance = object.offset() - start - at;
      assertEquals(0, distance % strideBytes);
      assertTrue(distance >= 0 && distance / strideBytes < count, "at " + distance);
    }

    private void requireMark(int mark, int kind) {
      assertEquals(kind, mark % KINDS);
      assertTrue(mark >= 0 && mark / KINDS < count, "mark " + mark);
    }

    private static void requireName(String name, String begin) {
      assertEquals(9, name.length(), name);
      assertTrue(name.startsWith(begin), name);
      // Of one element: its last digit is there twice.
      assertEquals(name.charAt(5), name.charAt(8), name);
    }

    private void requireGarden(Spot garden, int kind) {
      requireMark(garden.mark, kind);
      assertEquals(gardens.get(garden.mark).offset(), garden.offset());
    }

    /// What was written is where it belongs, and nothing else has changed.
    void requireIntact() {
      for (int element = 0; element < count; element++) {
        House house = houses.get(element);
        requireIntact(house.left, element, LEFT);
        requireIntact(house.right, element, RIGHT);
        if (house instanceof Tower tower) {
          requireIntact(tower.attic, element, ATTIC);
        }
        assertEquals(mark(element, HOUSE), house.mark);
        assertEquals(name("house", element), house.name.toString());
      }
      for (int i = 0; i < gardens.size(); i++) {
        assertEquals(0, gardens.get(i).scribble);
      }
    }

    private static void requireIntact(Room room, int element, int kind) {
      assertEquals(mark(element, kind), room.mark);
      assertEquals(mark(element, kind), room.spot.mark);
      assertEquals(mark(element, kind), room.corner.mark);
      assertEquals(mark(element, kind), room.cells.get(3));
      assertEquals(mark(element, kind), room.garden.mark);
      assertTrue(room.spot.scribble == 0 || room.spot.scribble == kind);
      assertTrue(room.corner.scribble == 0 || room.corner.scribble == -kind);
    }

    private static int mark(int element, int kind) {
      return element * KINDS + kind;
    }

    /// Nine bytes.
    private static String name(String begin, int element) {
      return begin + element % 10 + "%03d".formatted(element % 1000);
    }
  }

  @ParameterizedTest
  @EnumSource
  @EveryTier("rounds: 10,000, 50,000, 5,000,000")
  void findsWhatLiesInElementsAtItsOwnPlaceOnly(Visited visited) throws Exception {
    Container container = Jbuf.allocate(visited.bytes()).asContainer();
    Town<?> town = new Town<>(container, visited.type, visited);
    try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      Callable<Integer> visit = () -> visit(town);
      for (Future<Integer> found : pool.invokeAll(Collections.nCopies(THREADS, visit))) {
        assertTrue(found.get() > 0);
      }
    }
    town.requireIntact();
  }

  /// @return how many elements were found
  private static int visit(Town<?> town) {
    Random random = new Random();
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean isThere = true;
      for (int steps = random.nextInt(8); steps >= 0 && isThere; steps--) {
        isThere = town.cursor.next();
      }
      if (!isThere || random.nextInt(32) == 0) {
        town.cursor.restart();
      }
      House house = element(town.cursor);
      if (house != null) {
        town.check(house);
        found++;
      }
    }
    return found;
  }

  private static @Nullable House element(PsoCursor<? extends House> cursor) {
    try {
      return cursor.element();
    } catch (IllegalStateException e) {
      return null; // another thread has restarted it, or it is where the list has null
    }
  }
}
