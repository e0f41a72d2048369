package dev.tigris.bench.objects;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;
import org.agrona.concurrent.UnsafeBuffer;

/// Adding to each of the three doubles of 125,000 objects in place: those of a table, with a cursor
/// that visits them.
///
/// The peers are plain objects in an array; a memory segment for each object, accessed through
/// constant VarHandles of a struct layout; a FlatBuffers struct and an SBE flyweight, each moved
/// from object to object over one buffer.
public final class UpdateSuite implements Suite {
  static final String FIGURE = "objects.update";
  static final String PLAIN = "plain object";
  static final String SEGMENT = "FFM segment per object";
  static final String FLATBUFFERS = "FlatBuffers";
  static final String SBE = "SBE";

  private static final int OBJECTS = 125_000;
  private static final int FIELDS = 3;
  private static final int POINT_BYTES = FIELDS * Double.BYTES;

  private static final MemoryLayout LAYOUT =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_DOUBLE.withName("x"),
          ValueLayout.JAVA_DOUBLE.withName("y"),
          ValueLayout.JAVA_DOUBLE.withName("z"));
  private static final VarHandle X = field("x");
  private static final VarHandle Y = field("y");
  private static final VarHandle Z = field("z");

  private final PsoTable<Point> points;
  private final PlainPoint[] plain = new PlainPoint[OBJECTS];
  private final MemorySegment[] segments = new MemorySegment[OBJECTS];
  private final ByteBuffer flat =
      ByteBuffer.allocateDirect(OBJECTS * FlatPoint.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final UnsafeBuffer sbe =
      new UnsafeBuffer(ByteBuffer.allocateDirect(OBJECTS * SbePoint.BYTES));

  /// The peer of [Point].
  private static final class PlainPoint {
    double x;
    double y;
    double z;
  }

  private static VarHandle field(String name) {
    return LAYOUT.varHandle(MemoryLayout.PathElement.groupElement(name)).withInvokeExactBehavior();
  }

  /// Makes a suite; the measuring process calls this.
  public UpdateSuite() {
    Container container = Jbuf.allocate(4L << 20, "bench").asContainer();
    points = new PsoTable<>(container, Point.class, OBJECTS);
    MemorySegment memory = Arena.ofAuto().allocate((long) OBJECTS * POINT_BYTES, 8);
    for (int i = 0; i < OBJECTS; i++) {
      points.add();
      plain[i] = new PlainPoint();
      segments[i] = memory.asSlice((long) i * POINT_BYTES, POINT_BYTES);
    }
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Trial objects = new Growing("points", this::objects, this::sumOfObjects);
    return List.of(
        contest(PLAIN, objects, this::plainObjects, this::sumOfPlainObjects),
        contest(SEGMENT, objects, this::segments, this::sumOfSegments),
        contest(FLATBUFFERS, objects, this::flatBuffers, this::sumOfFlatBuffers),
        contest(SBE, objects, this::sbe, this::sumOfSbe));
  }

  private static Contest contest(
      String peer, Trial objects, IntConsumer update, DoubleSupplier sum) {
    return Contest.timed(FIGURE, peer, OBJECTS * FIELDS, objects, new Growing(peer, update, sum));
  }

  /// A trial whose objects all grow by 1, 2 and 3 a round, which is timed, and whose values are
  /// added up after that.
  private static final class Growing implements Trial {
    private final String what;
    private final IntConsumer update;
    private final DoubleSupplier sum;
    private long rounds;

    Growing(String what, IntConsumer update, DoubleSupplier sum) {
      this.what = what;
      this.update = update;
      this.sum = sum;
    }

    @Override
    public long nanos(int count) {
      long start = System.nanoTime();
      update.accept(count);
      long nanos = System.nanoTime() - start;
      rounds += count;
      WrongResultException.check(what, rounds * (1 + 2 + 3) * OBJECTS, (long) sum.getAsDouble());
      return nanos;
    }
  }

  private void objects(int rounds) {
    PsoCursor<Point> cursor = points.cursor();
    for (int round = 0; round < rounds; round++) {
      for (cursor.restart(); cursor.next(); ) {
        Point point = cursor.element();
        point.x += 1;
        point.y += 2;
        point.z += 3;
      }
    }
  }

  private double sumOfObjects() {
    double sum = 0;
    for (PsoCursor<Point> cursor = points.cursor(); cursor.next(); ) {
      Point point = cursor.element();
      sum += point.x + point.y + point.z;
    }
    return sum;
  }

  private void plainObjects(int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (PlainPoint point : plain) {
        point.x += 1;
        point.y += 2;
        point.z += 3;
      }
    }
  }

  private double sumOfPlainObjects() {
    double sum = 0;
    for (PlainPoint point : plain) {
      sum += point.x + point.y + point.z;
    }
    return sum;
  }

  private void segments(int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (MemorySegment point : segments) {
        X.set(point, 0L, (double) X.get(point, 0L) + 1);
        Y.set(point, 0L, (double) Y.get(point, 0L) + 2);
        Z.set(point, 0L, (double) Z.get(point, 0L) + 3);
      }
    }
  }

  private double sumOfSegments() {
    double sum = 0;
    for (MemorySegment point : segments) {
      sum += (double) X.get(point, 0L) + (double) Y.get(point, 0L) + (double) Z.get(point, 0L);
    }
    return sum;
  }

  private void flatBuffers(int rounds) {
    FlatPoint point = new FlatPoint();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < OBJECTS; i++) {
        point.assign(i * FlatPoint.BYTES, flat);
        point.mutateX(point.x() + 1);
        point.mutateY(point.y() + 2);
        point.mutateZ(point.z() + 3);
      }
    }
  }

  private double sumOfFlatBuffers() {
    FlatPoint point = new FlatPoint();
    double sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
      point.assign(i * FlatPoint.BYTES, flat);
      sum += point.x() + point.y() + point.z();
    }
    return sum;
  }

  private void sbe(int rounds) {
    SbePoint point = new SbePoint(sbe);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < OBJECTS; i++) {
        point.wrap(i * SbePoint.BYTES);
        point.x(point.x() + 1).y(point.y() + 2).z(point.z() + 3);
      }
    }
  }

  private double sumOfSbe() {
    SbePoint point = new SbePoint(sbe);
    double sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
      point.wrap(i * SbePoint.BYTES);
      sum += point.x() + point.y() + point.z();
    }
    return sum;
  }
}
