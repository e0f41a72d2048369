package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Measures the management of Jbufs (Chang, *Safe and Explicit Memory Management*, 1999, table
/// 3.1), with as many 4-byte buffers as there.
///
/// The peer is a segment's whole life, an allocation from a new shared arena and its close.
/// Allocating and freeing are held against their own halves of it as well, and allocating against
/// the other arenas: the confined one, which only its own thread can use, and the automatic one,
/// which only the collector can close.
public final class JbufSuite implements Suite {
  static final List<String> FIGURES =
      List.of(
          "memory.jbuf.allocate",
          "memory.jbuf.free",
          "memory.jbuf.view",
          "memory.jbuf.owns",
          "memory.jbuf.unreference",
          "memory.jbuf.gc");
  private static final String PEER = "Arena.ofShared";
  private static final String OPEN = "allocate of Arena.ofShared";
  private static final String CLOSE = "close of Arena.ofShared";
  private static final String CONFINED = "Arena.ofConfined";
  private static final String AUTOMATIC = "allocate of Arena.ofAuto";
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final int BYTES = 4;
  private static final int BUFFERS = 1000;

  /// Makes a suite; the measuring process calls this.
  public JbufSuite() {}

  @Override
  public List<Contest> contests(Scale scale) {
    Trial life = JbufSuite::arenaLife;
    return List.of(
        Contest.counted(FIGURES.get(0), PEER, BUFFERS, JbufSuite::allocate, life),
        Contest.counted(FIGURES.get(0), OPEN, BUFFERS, JbufSuite::allocate, JbufSuite::arenaOpen),
        Contest.counted(
            FIGURES.get(0), CONFINED, BUFFERS, JbufSuite::allocate, JbufSuite::confinedLife),
        Contest.counted(
            FIGURES.get(0), AUTOMATIC, BUFFERS, JbufSuite::allocate, JbufSuite::automaticOpen),
        Contest.counted(FIGURES.get(1), PEER, BUFFERS, JbufSuite::free, life),
        Contest.counted(FIGURES.get(1), CLOSE, BUFFERS, JbufSuite::free, JbufSuite::arenaClose),
        Contest.counted(FIGURES.get(2), PEER, BUFFERS, JbufSuite::view, life),
        Contest.counted(FIGURES.get(3), PEER, BUFFERS, JbufSuite::owns, life),
        Contest.counted(FIGURES.get(4), PEER, BUFFERS, JbufSuite::unreference, life),
        Contest.counted(FIGURES.get(5), PEER, BUFFERS, JbufSuite::collect, life));
  }

  private static long allocate(int count) {
    Jbuf[] jbufs = new Jbuf[count];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      jbufs[i] = Jbuf.allocate(BYTES);
    }
    long nanos = System.nanoTime() - start;
    for (Jbuf jbuf : jbufs) {
      WrongResultException.check("capacity", BYTES, jbuf.capacityBytes());
      jbuf.free();
    }
    return nanos;
  }

  private static long free(int count) {
    Jbuf[] jbufs = allocated(count);
    long start = System.nanoTime();
    for (Jbuf jbuf : jbufs) {
      jbuf.free();
    }
    return System.nanoTime() - start;
  }

  private static long view(int count) {
    Jbuf[] jbufs = allocated(count);
    Bytes[] views = new Bytes[count];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      views[i] = jbufs[i].asBytes();
    }
    long nanos = System.nanoTime() - start;
    for (Bytes view : views) {
      WrongResultException.check("length of a view", BYTES, view.length());
    }
    return nanos;
  }

  private static long owns(int count) {
    Jbuf[] jbufs = allocated(count);
    Bytes[] views = new Bytes[count];
    for (int i = 0; i < count; i++) {
      views[i] = jbufs[i].asBytes();
    }
    int owned = 0;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      owned += jbufs[i].owns(views[i ^ 1]) ? 1 : 0;
      owned += jbufs[i].owns(views[i]) ? 1 : 0;
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("own views", count, owned);
    return nanos / 2;
  }

  private static long unreference(int count) {
    Jbuf[] jbufs = viewed(count);
    long start = System.nanoTime();
    for (Jbuf jbuf : jbufs) {
      jbuf.unreference(Jbuf::free);
    }
    return System.nanoTime() - start;
  }

  /// A collection that finds the views of many Jbufs dead, up to the last callback, less one that
  /// has nothing to find. Ten times as many as asked for, because the collection itself takes so
  /// long; the time is scaled back.
  private static long collect(int count) throws InterruptedException {
    Jbuf[] jbufs = viewed(10 * count);
    System.gc(); // what earlier trials left
    long start = System.nanoTime();
    System.gc();
    long plainNanos = System.nanoTime() - start;

    CountDownLatch called = new CountDownLatch(jbufs.length);
    for (Jbuf jbuf : jbufs) {
      jbuf.unreference(verified -> called.countDown());
    }
    start = System.nanoTime();
    System.gc();
    called.await();
    long nanos = System.nanoTime() - start;
    for (Jbuf jbuf : jbufs) {
      jbuf.free(); // refused unless the collector has verified it
    }
    return Math.max(1, (nanos - plainNanos) / 10);
  }

  private static Jbuf[] allocated(int count) {
    Jbuf[] jbufs = new Jbuf[count];
    for (int i = 0; i < count; i++) {
      jbufs[i] = Jbuf.allocate(BYTES);
    }
    return jbufs;
  }

  private static Jbuf[] viewed(int count) {
    Jbuf[] jbufs = allocated(count);
    for (Jbuf jbuf : jbufs) {
      jbuf.asBytes().set(0, (byte) 1);
    }
    return jbufs;
  }

  private static long arenaOpen(int count) {
    Arena[] arenas = new Arena[count];
    MemorySegment[] segments = new MemorySegment[count];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      arenas[i] = Arena.ofShared();
      segments[i] = arenas[i].allocate(BYTES);
    }
    long nanos = System.nanoTime() - start;
    for (int i = 0; i < count; i++) {
      WrongResultException.check("size of a segment", BYTES, segments[i].byteSize());
      arenas[i].close();
    }
    return nanos;
  }

  private static long arenaClose(int count) {
    Arena[] arenas = new Arena[count];
    for (int i = 0; i < count; i++) {
      arenas[i] = Arena.ofShared();
      WrongResultException.check("a new segment", 0, arenas[i].allocate(BYTES).get(BYTE, 0));
    }
    long start = System.nanoTime();
    for (Arena arena : arenas) {
      arena.close();
    }
    return System.nanoTime() - start;
  }

  private static long arenaLife(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      try (Arena arena = Arena.ofShared()) {
        WrongResultException.check("a new segment", 0, arena.allocate(BYTES).get(BYTE, 0));
      }
    }
    return System.nanoTime() - start;
  }

  private static long confinedLife(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      try (Arena arena = Arena.ofConfined()) {
        WrongResultException.check("a new segment", 0, arena.allocate(BYTES).get(BYTE, 0));
      }
    }
    return System.nanoTime() - start;
  }

  private static long automaticOpen(int count) {
    MemorySegment[] segments = new MemorySegment[count];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      segments[i] = Arena.ofAuto().allocate(BYTES);
    }
    long nanos = System.nanoTime() - start;
    for (MemorySegment segment : segments) {
      WrongResultException.check("size of a segment", BYTES, segment.byteSize());
    }
    return nanos;
  }
}
