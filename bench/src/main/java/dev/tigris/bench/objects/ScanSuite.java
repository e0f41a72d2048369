package dev.tigris.bench.objects;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.RawContainer;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The largest int of a file, and the largest value of one field of the records in it (Welsh's
/// thesis, figure 10). The file is in the page cache; mapping it is a part of what is measured, and
/// giving the mapping back is not.
///
/// A sample is a whole scan. Of those peers that would take minutes a part of the file is measured,
/// and their time is scaled up.
public final class ScanSuite implements Suite {
  static final String INTS = "objects.scan.ints";
  static final String FIELD = "objects.scan.field";
  static final String C_MMAP = "C mmap";
  static final String C_READ = "C read";
  static final String C_READ_BUFFERED = "C read, 64 KiB each";
  static final String STREAM = "DataInputStream";
  static final String BUFFERED = "DataInputStream, buffered";

  /// Names the file; what its two results are is in another beside it.
  static final String PROPERTY = "tigris.bench.scan";

  private static final int BUFFER_BYTES = 1 << 16;

  /// How much of the file is read by those who ask the operating system for each int.
  private static final int INT_BY_INT_BYTES = 1 << 20;

  private final Path file = Path.of(System.getProperty(PROPERTY, ""));
  private final long bytes;
  private final Expected expected;

  /// What the scans find: in all ints, in the first ones, and in the field.
  record Expected(int ofAll, int ofFirst, int ofField) {
    static Path beside(Path file) {
      return file.resolveSibling("expected");
    }

    static Expected read(Path file) throws IOException {
      List<String> lines = Files.readAllLines(beside(file));
      return new Expected(
          Integer.parseInt(lines.get(0)),
          Integer.parseInt(lines.get(1)),
          Integer.parseInt(lines.get(2)));
    }

    void write(Path file) throws IOException {
      Files.write(beside(file), List.of("" + ofAll, "" + ofFirst, "" + ofField));
    }
  }

  /// The largest values so far, while the file is written.
  static final class Largest {
    private int ofAll = Integer.MIN_VALUE;
    private int ofFirst = Integer.MIN_VALUE;
    private int ofField = Integer.MIN_VALUE;

    void add(long position, int value) {
      ofAll = Math.max(ofAll, value);
      if (position < INT_BY_INT_BYTES) {
        ofFirst = Math.max(ofFirst, value);
      }
      if (position % Reading.BYTES == Long.BYTES) {
        ofField = Math.max(ofField, value);
      }
    }

    Expected result() {
      return new Expected(ofAll, ofFirst, ofField);
    }
  }

  /// The functions of `scan.c`.
  private static final class InC {
    private static final CTwin C = CTwin.load("scan");
    private static final MethodHandle MAP =
        C.function("scan_map", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle UNMAP =
        C.function("scan_unmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle INTS =
        C.function("scan_ints", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle FIELD =
        C.function("scan_field", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle READ =
        C.function("scan_read", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));
  }

  /// Makes a suite; the measuring process calls this.
  public ScanSuite() throws IOException {
    bytes = Files.size(file);
    expected = Expected.read(file);
  }

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    contests.add(contest(INTS, STREAM, this::ints, this::stream));
    contests.add(contest(INTS, BUFFERED, this::ints, this::buffered));
    if (CTwin.isAvailable()) {
      contests.add(contest(INTS, C_READ, this::ints, () -> readInC(INT_BY_INT_BYTES, 4)));
      contests.add(contest(INTS, C_READ_BUFFERED, this::ints, () -> readInC(bytes, BUFFER_BYTES)));
      contests.add(contest(INTS, C_MMAP, this::ints, () -> mapInC(false)));
      contests.add(contest(FIELD, C_MMAP, this::field, () -> mapInC(true)));
    }
    return contests;
  }

  /// A scan, which checks what it finds and returns the nanoseconds that it took.
  @FunctionalInterface
  private interface Scan {
    long nanos() throws Throwable;
  }

  private Contest contest(String figure, String peer, Scan subject, Scan rival) {
    return new Contest(figure, peer, Math.toIntExact(bytes), 1, trial(subject), trial(rival));
  }

  private static Trial trial(Scan scan) {
    return count -> {
      long nanos = 0;
      for (int i = 0; i < count; i++) {
        try {
          nanos += scan.nanos();
        } catch (Exception | Error e) {
          throw e;
        } catch (Throwable e) {
          throw new IllegalStateException("a C function threw", e);
        }
      }
      return nanos;
    };
  }

  private long ints() throws IOException {
    long start = System.nanoTime();
    Jbuf mapped = Jbuf.map(file, Mapping.PRIVATE);
    int largest = largest(mapped.asInts());
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the largest int", expected.ofAll(), largest);
    giveBack(mapped);
    return nanos;
  }

  // Both loops have the statement of scan.c: Math.max would be another.

  private static int largest(Ints ints) {
    int largest = Integer.MIN_VALUE;
    for (long i = 0; i < ints.length(); i++) {
      int value = ints.get(i);
      if (value > largest) {
        largest = value;
      }
    }
    return largest;
  }

  private long field() throws IOException {
    long start = System.nanoTime();
    Jbuf mapped = Jbuf.map(file, Mapping.PRIVATE);
    int largest = largest(mapped.asRawContainer());
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the largest value", expected.ofField(), largest);
    giveBack(mapped);
    return nanos;
  }

  private static int largest(RawContainer file) {
    int largest = Integer.MIN_VALUE;
    long count = file.capacityBytes() / Reading.BYTES;
    for (PsoCursor<Reading> at = file.cursor(0, count, Reading.class); at.next(); ) {
      int value = at.element().value;
      if (value > largest) {
        largest = value;
      }
    }
    return largest;
  }

  /// So that address space, which is not scarce, does not run out all the same.
  private static void giveBack(Jbuf mapped) {
    mapped.unreference(Jbuf::free);
    System.gc();
  }

  private long stream() throws IOException {
    return read(Files.newInputStream(file), INT_BY_INT_BYTES, expected.ofFirst());
  }

  private long buffered() throws IOException {
    return read(
        new BufferedInputStream(new FileInputStream(file.toFile())), bytes, expected.ofAll());
  }

  private long read(InputStream from, long part, int result) throws IOException {
    long start = System.nanoTime();
    int largest = Integer.MIN_VALUE;
    try (DataInputStream stream = new DataInputStream(from)) {
      for (long left = part; left > 0; left -= Integer.BYTES) {
        // The stream is big-endian, the file is not.
        int value = Integer.reverseBytes(stream.readInt());
        if (value > largest) {
          largest = value;
        }
      }
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the largest int", result, largest);
    return nanos * (bytes / part);
  }

  private long readInC(long part, long step) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom(file.toString());
      long start = System.nanoTime();
      long found = (long) InC.READ.invokeExact(path, part, step);
      long nanos = System.nanoTime() - start;
      int result = part == bytes ? expected.ofAll() : expected.ofFirst();
      WrongResultException.check("the largest int", result + (1L << 32), found);
      return nanos * (bytes / part);
    }
  }

  private long mapInC(boolean ofField) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom(file.toString());
      long start = System.nanoTime();
      MemorySegment memory = (MemorySegment) InC.MAP.invokeExact(path, bytes);
      int found =
          ofField
              ? (int) InC.FIELD.invokeExact(memory, bytes / Reading.BYTES)
              : (int) InC.INTS.invokeExact(memory, bytes / Integer.BYTES);
      long nanos = System.nanoTime() - start;
      int result = ofField ? expected.ofField() : expected.ofAll();
      WrongResultException.check("the largest value", result, found);
      WrongResultException.check("unmapping", 0, (int) InC.UNMAP.invokeExact(memory, bytes));
      return nanos;
    }
  }
}
