package dev.tigris.memory.arrow;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Capacity;
import dev.tigris.memory.Chars;
import dev.tigris.memory.Container;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Shorts;
import dev.tigris.memory.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/// A row with a cell of each kind.
final class Everything extends Pso {
  enum Side {
    BUY,
    SELL,
    HOLD_ON
  }

  static final class Place extends Pso {
    int x;

    @Capacity(9)
    Utf8 label;

    Side side;

    @InPlace Depth depth;

    Place(Container container) {
      super(container);
    }
  }

  static final class Depth extends Pso {
    double metres;
    boolean known;

    Depth(Container container) {
      super(container);
    }
  }

  boolean flag;
  byte tiny;
  short small;
  char letter;
  int number;
  long large;
  float real;
  double precise;

  @Capacity(40)
  Utf8 text;

  Side side;

  @Capacity(3)
  Bytes hash;

  @Capacity(2)
  Ints pair;

  @Capacity(2)
  Doubles samples;

  @Capacity(1)
  Chars letters;

  @Capacity(2)
  @ArrowAs(ArrowAs.Meaning.UNSIGNED)
  Shorts counts;

  @InPlace Place place;

  @ArrowAs(ArrowAs.Meaning.UNSIGNED)
  byte tinyCount;

  @ArrowAs(ArrowAs.Meaning.UNSIGNED)
  short smallCount;

  @ArrowAs(ArrowAs.Meaning.UNSIGNED)
  int count;

  @ArrowAs(ArrowAs.Meaning.UNSIGNED)
  long largeCount;

  @ArrowAs(ArrowAs.Meaning.DATE)
  int day;

  @ArrowAs(ArrowAs.Meaning.TIMESTAMP_SECONDS)
  long seconds;

  @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MILLIS)
  long millis;

  @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MICROS)
  long micros;

  @ArrowAs(ArrowAs.Meaning.TIMESTAMP_NANOS)
  long nanos;

  Everything(Container container) {
    super(container);
  }

  private static String text(Random random, int mostBytes) {
    StringBuilder text = new StringBuilder();
    int bytes = 0;
    int wanted = random.nextInt(mostBytes + 1);
    while (true) {
      String next =
          switch (random.nextInt(12)) {
            case 0 -> "é";
            case 1 -> "€";
            case 2 -> "😀";
            case 3 -> "\u0000";
            default -> Character.toString((char) ('a' + random.nextInt(26)));
          };
      bytes += next.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > wanted) {
        return text.toString();
      }
      text.append(next);
    }
  }

  private static Side side(Random random) {
    int which = random.nextInt(4);
    return which == 3 ? null : Side.values()[which];
  }

  /// Adds a row of random values.
  static void add(PsoTable<Everything> table, Random random) {
    Everything row = table.add();
    row.flag = random.nextBoolean();
    row.tiny = (byte) random.nextInt();
    row.small = (short) random.nextInt();
    row.letter = (char) random.nextInt(0xd800);
    row.number = random.nextInt();
    row.large = random.nextLong();
    row.real = random.nextInt(8) == 0 ? Float.NEGATIVE_INFINITY : (float) random.nextGaussian();
    row.precise = random.nextInt(8) == 0 ? -0.0 : random.nextGaussian();
    row.text.set(text(random, 40));
    row.side = side(random);
    for (int i = 0; i < 3; i++) {
      row.hash.set(i, (byte) random.nextInt());
    }
    for (int i = 0; i < 2; i++) {
      row.pair.set(i, random.nextInt());
      row.samples.set(i, random.nextGaussian());
      row.counts.set(i, (short) random.nextInt());
    }
    row.letters.set(0, (char) ('a' + random.nextInt(26)));
    row.place.x = random.nextInt();
    row.place.label.set(text(random, 9));
    row.place.side = side(random);
    row.place.depth.metres = random.nextDouble();
    row.place.depth.known = random.nextBoolean();
    row.tinyCount = (byte) random.nextInt();
    row.smallCount = (short) random.nextInt();
    row.count = random.nextInt();
    row.largeCount = random.nextLong();
    row.day = random.nextInt(40_000) - 10_000;
    row.seconds = random.nextInt();
    row.millis = random.nextLong() >> 20;
    row.micros = random.nextLong() >> 12;
    row.nanos = random.nextLong() >> 1;
  }

  /// A table that grows, with random rows.
  static PsoTable<Everything> table(int rows, long seed) {
    Container container = Jbuf.allocate(1 << 20).asContainer();
    PsoTable<Everything> table = new PsoTable<>(container, Everything.class, 10);
    Random random = new Random(seed);
    for (int i = 0; i < rows; i++) {
      add(table, random);
    }
    return table;
  }
}
