package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.patch.PatchKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// Reading and writing fields of pre-serialized objects, against plain objects.
///
/// `straightN` is one call of a method of N statements, each a read and a write of a field; `loop`
/// is one object of 1,024, of which two fields are read. [Types] has the other primitive types, and
/// [Patched] the load-time delivery.
public final class FieldSuite implements Suite {
  static final String PEER = "plain object";
  static final String LOOP = "memory.field.loop";
  static final int[] SIZES = {8, 32, 64, 128, 256};
  private static final int LOOP_OBJECTS = 1024;

  /// Made by the measuring process.
  public FieldSuite() {}

  static List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int size : SIZES) {
      figures.add(straight(size));
    }
    figures.add(LOOP);
    return List.copyOf(figures);
  }

  private static String straight(int size) {
    return "memory.field.straight" + size;
  }

  /// `straight32` for each primitive type.
  public static final class Types implements Suite {
    private static final int STATEMENTS = 32;

    /// Made by the measuring process.
    public Types() {}

    static List<String> figures() {
      return typed().map(Types::figure).toList();
    }

    private static Stream<Fields> typed() {
      return Arrays.stream(Fields.values()).filter(fields -> fields != Fields.SIXTEEN_INTS);
    }

    private static String figure(Fields fields) {
      return "memory.field.type." + fields.label();
    }

    @Override
    public List<Contest> contests(Scale scale) {
      Container container = container();
      return typed()
          .map(
              fields ->
                  straightLine(
                      figure(fields), STATEMENTS, container, fields, new Delivery.Rewritten()))
          .toList();
    }
  }

  /// The straight lines as original class files with a patch, for a process that has the agent.
  public static final class Patched implements Suite {
    /// Made by the measuring process.
    public Patched() {}

    static List<String> figures() {
      return Arrays.stream(SIZES).mapToObj(Patched::figure).toList();
    }

    private static String figure(int size) {
      return "memory.field.loadtime.straight" + size;
    }

    @Override
    public List<Contest> contests(Scale scale) {
      Container container = container();
      Delivery delivery = new Delivery.Patched(PatchKind.DIFF, Optional.empty());
      return Arrays.stream(SIZES)
          .mapToObj(
              size -> straightLine(figure(size), size, container, Fields.SIXTEEN_INTS, delivery))
          .toList();
    }
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Container container = container();
    List<Contest> contests = new ArrayList<>();
    for (int size : SIZES) {
      contests.add(straightLine(straight(size), size, container));
    }
    PlainInts[] plain = new PlainInts[LOOP_OBJECTS];
    PsoInts[] psos = new PsoInts[LOOP_OBJECTS];
    long sum = 0;
    for (int i = 0; i < LOOP_OBJECTS; i++) {
      plain[i] = new PlainInts();
      psos[i] = new PsoInts(container);
      plain[i].f3 = psos[i].f3 = 3 * i;
      plain[i].f7 = psos[i].f7 = i ^ 0x5555;
      sum += 3 * i + (i ^ 0x5555);
    }
    contests.add(
        Contest.timed(
            LOOP, PEER, LOOP_OBJECTS, sums(() -> sum(psos), sum), sums(() -> sum(plain), sum)));
    return contests;
  }

  static Container container() {
    return Jbuf.allocate(1 << 20, "bench").asContainer();
  }

  static Contest straightLine(String figure, int size, Container container) {
    return straightLine(figure, size, container, Fields.SIXTEEN_INTS, new Delivery.Rewritten());
  }

  static Contest straightLine(
      String figure, int size, Container container, Fields fields, Delivery delivery) {
    StraightLine line = new StraightLine(size, fields);
    return Contest.timed(figure, PEER, 1, line.specialized(container, delivery), line.plain());
  }

  private static Trial sums(LongSupplier pass, long expected) {
    return Trial.of(
        "sum of fields",
        count -> {
          long total = 0;
          for (int i = 0; i < count; i++) {
            total += pass.getAsLong();
          }
          return total;
        },
        count -> expected * count);
  }

  private static long sum(PsoInts[] objects) {
    long sum = 0;
    for (PsoInts object : objects) {
      sum += object.f3 + object.f7;
    }
    return sum;
  }

  private static long sum(PlainInts[] objects) {
    long sum = 0;
    for (PlainInts object : objects) {
      sum += object.f3 + object.f7;
    }
    return sum;
  }
}
