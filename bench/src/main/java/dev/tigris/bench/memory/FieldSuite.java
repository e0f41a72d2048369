package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// Reading and writing fields of pre-serialized objects, against plain objects, by the delivery of
/// the process that measures.
///
/// `straightN` is one call of a method of N statements, each a read and a write of a field;
/// `type.T` is `straight32` for a primitive type; `loop` is one object of 1,024, of which two
/// fields are read.
public final class FieldSuite implements Suite {
  static final String PEER = "plain object";
  private static final String NAME = "memory.field";
  private static final int[] SIZES = {8, 32, 64, 128, 256};
  private static final int TYPE_STATEMENTS = 32;

  /// Makes a suite; the measuring process calls this.
  public FieldSuite() {}

  /// What the names of a delivery's figures begin with.
  static String prefix(boolean loadTime) {
    return loadTime ? NAME + ".loadtime" : NAME;
  }

  static List<String> figures(boolean loadTime) {
    List<String> figures = new ArrayList<>();
    for (int size : SIZES) {
      figures.add(straight(loadTime, size));
    }
    figures.add(loop(loadTime));
    typed().forEach(fields -> figures.add(type(loadTime, fields)));
    return List.copyOf(figures);
  }

  private static Stream<Fields> typed() {
    return Arrays.stream(Fields.values()).filter(fields -> fields != Fields.SIXTEEN_INTS);
  }

  private static String straight(boolean loadTime, int size) {
    return prefix(loadTime) + ".straight" + size;
  }

  private static String loop(boolean loadTime) {
    return prefix(loadTime) + ".loop";
  }

  private static String type(boolean loadTime, Fields fields) {
    return prefix(loadTime) + ".type." + fields.label();
  }

  @Override
  public List<Contest> contests(Scale scale) {
    boolean loadTime = Generated.isLoadTime();
    Container container = container();
    List<Contest> contests = new ArrayList<>();
    for (int size : SIZES) {
      contests.add(straightLine(straight(loadTime, size), size, Fields.SIXTEEN_INTS, container));
    }
    contests.add(
        Contest.timed(
            loop(loadTime),
            PEER,
            SumLoop.OBJECTS,
            SumLoop.specialized(container),
            SumLoop.plain()));
    typed()
        .forEach(
            fields ->
                contests.add(
                    straightLine(type(loadTime, fields), TYPE_STATEMENTS, fields, container)));
    return contests;
  }

  static Container container() {
    return Jbuf.allocate(1 << 20, "bench").asContainer();
  }

  static Contest straightLine(String figure, int size, Fields fields, Container container) {
    StraightLine line = new StraightLine(size, fields);
    return Contest.timed(figure, PEER, 1, line.specialized(container), line.plain());
  }
}
