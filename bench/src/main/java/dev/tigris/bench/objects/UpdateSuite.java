package dev.tigris.bench.objects;

import dev.tigris.bench.Scale;
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

  /// Made by the measuring process.
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
    Trial objects = new Growing("points", this::objects);
    return List.of(
        contest(PLAIN, objects, this::plainObjects),
        contest(SEGMENT, objects, this::segments),
        contest(FLATBUFFERS, objects, this::flatBuffers),
        contest(SBE, objects, this::sbe));
  }

  private static Contest contest(String peer, Trial objects, Trial.Body body) {
    return Contest.timed(FIGURE, peer, OBJECTS * FIELDS, objects, new Growing(peer, body));
  }

  /// A trial whose objects all grow by 1, 2 and 3 a round, and which returns the sum of the last
  /// round's values.
  private static final class Growing implements Trial {
    private final String what;
    private final Trial.Body body;
    private long rounds;

    Growing(String what, Trial.Body body) {
      this.what = what;
      this.body = body;
    }

    @Override
    public long nanos(int count) throws Exception {
      rounds += count;
      long all = rounds;
      return Trial.of(what, body, ignored -> all * (1 + 2 + 3) * OBJECTS).nanos(count);
    }
  }

  private long objects(int rounds) {
    double sum = 0;
    PsoCursor<Point> cursor = points.cursor();
    for (int round = 0; round < rounds; round++) {
      for (cursor.restart(); cursor.next(); ) {
        Point point = cursor.element();
        point.x += 1;
        point.y += 2;
        point.z += 3;
      }
    }
    for (PsoCursor<Point> all = points.cursor(); all.next(); ) {
      Point point = all.element();
      sum += point.x + point.y + point.z;
    }
    return (long) sum;
  }

  private long plainObjects(int rounds) {
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (PlainPoint point : plain) {
        point.x += 1;
        point.y += 2;
        point.z += 3;
      }
    }
    for (PlainPoint point : plain) {
      sum += point.x + point.y + point.z;
    }
    return (long) sum;
  }

  private long segments(int rounds) {
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (MemorySegment point : segments) {
        X.set(point, 0L, (double) X.get(point, 0L) + 1);
        Y.set(point, 0L, (double) Y.get(point, 0L) + 2);
        Z.set(point, 0L, (double) Z.get(point, 0L) + 3);
      }
    }
    for (MemorySegment point : segments) {
      sum += (double) X.get(point, 0L) + (double) Y.get(point, 0L) + (double) Z.get(point, 0L);
    }
    return (long) sum;
  }

  private long flatBuffers(int rounds) {
    double sum = 0;
    FlatPoint point = new FlatPoint();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < OBJECTS; i++) {
        point.assign(i * FlatPoint.BYTES, flat);
        point.mutateX(point.x() + 1);
        point.mutateY(point.y() + 2);
        point.mutateZ(point.z() + 3);
      }
    }
    for (int i = 0; i < OBJECTS; i++) {
      point.assign(i * FlatPoint.BYTES, flat);
      sum += point.x() + point.y() + point.z();
    }
    return (long) sum;
  }

  private long sbe(int rounds) {
    double sum = 0;
    SbePoint point = new SbePoint(sbe);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < OBJECTS; i++) {
        point.wrap(i * SbePoint.BYTES);
        point.x(point.x() + 1).y(point.y() + 2).z(point.z() + 3);
      }
    }
    for (int i = 0; i < OBJECTS; i++) {
      point.wrap(i * SbePoint.BYTES);
      sum += point.x() + point.y() + point.z();
    }
    return (long) sum;
  }
}
