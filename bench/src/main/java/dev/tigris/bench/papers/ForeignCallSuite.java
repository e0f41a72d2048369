package dev.tigris.bench.papers;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Measures calls of C from Java, and copies between C's memory and a Java array (Welsh, MS thesis,
/// 1999, figure 1). Where the thesis has the Java Native Interface, this has what replaced it, the
/// linker and the memory segments of `java.lang.foreign`; the peer is a loop in C.
///
/// A call is measured twice: as it is, with the transition that lets a collection go on while C
/// runs, and as *critical*, without.
public final class ForeignCallSuite implements Suite {
  static final String PEER = "C";

  /// By the last word of the figure's name, with the paper's microseconds.
  enum Copy {
    IN_10(10, 3.0, 0.354),
    IN_1024(1024, 18.0, 1.68),
    IN_102400(102_400, 1706, 432.5),
    OUT_10(10, 7.0, 0.354),
    OUT_1024(1024, 272, 1.68),
    OUT_102400(102_400, 27_274, 432.5);

    final int bytes;
    final double jniMicros;
    final double cMicros;

    Copy(int bytes, double jniMicros, double cMicros) {
      this.bytes = bytes;
      this.jniMicros = jniMicros;
      this.cMicros = cMicros;
    }

    boolean isIn() {
      return name().startsWith("IN");
    }

    String figure() {
      return "copy." + (isIn() ? "in." : "out.") + bytes;
    }
  }

  /// The functions that are called.
  enum Call {
    NONE(0.909, 0.038),
    RESULT(0.932, 0.042),
    ARGUMENT(0.985, 0.049),
    ARGUMENTS(1.31, 0.072);

    final double jniMicros;
    final double cMicros;

    Call(double jniMicros, double cMicros) {
      this.jniMicros = jniMicros;
      this.cMicros = cMicros;
    }

    String figure() {
      return "call." + name().toLowerCase(Locale.ROOT);
    }
  }

  static final String CRITICAL = ".critical";

  private static final CTwin C = CTwin.load("calls");
  private static final FunctionDescriptor OF_RESULT = FunctionDescriptor.of(JAVA_INT);
  private static final FunctionDescriptor OF_ARGUMENT = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
  private static final FunctionDescriptor OF_ARGUMENTS =
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final FunctionDescriptor OF_LOOP = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);
  private static final Linker.Option SHORT = Linker.Option.critical(false);

  private static final MethodHandle NONE = C.function("none", FunctionDescriptor.ofVoid());
  private static final MethodHandle RESULT = C.function("result", OF_RESULT);
  private static final MethodHandle ARGUMENT = C.function("argument", OF_ARGUMENT);
  private static final MethodHandle ARGUMENTS = C.function("arguments", OF_ARGUMENTS);
  private static final MethodHandle NONE_SHORT =
      C.function("none", FunctionDescriptor.ofVoid(), SHORT);
  private static final MethodHandle RESULT_SHORT = C.function("result", OF_RESULT, SHORT);
  private static final MethodHandle ARGUMENT_SHORT = C.function("argument", OF_ARGUMENT, SHORT);
  private static final MethodHandle ARGUMENTS_SHORT = C.function("arguments", OF_ARGUMENTS, SHORT);
  private static final MethodHandle LOOP_COPY =
      C.function(
          "loop_copy", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG));

  private static final int MOST_BYTES = Copy.IN_102400.bytes;

  private final MemorySegment here = Arena.global().allocate(MOST_BYTES, 64);
  private final MemorySegment there = Arena.global().allocate(MOST_BYTES, 64);
  private final byte[] array = new byte[MOST_BYTES];
  private byte mark;

  /// Makes a suite; the measuring process calls this.
  public ForeignCallSuite() {}

  @FunctionalInterface
  private interface Calls {
    long run(int count) throws Throwable;
  }

  @Override
  public List<Contest> contests(Scale scale) {
    List<Contest> contests = new ArrayList<>();
    call(contests, Call.NONE, "loop_none", ForeignCallSuite::none, ForeignCallSuite::noneShort);
    call(
        contests,
        Call.RESULT,
        "loop_result",
        ForeignCallSuite::result,
        ForeignCallSuite::resultShort);
    call(
        contests,
        Call.ARGUMENT,
        "loop_argument",
        ForeignCallSuite::argument,
        ForeignCallSuite::argumentShort);
    call(
        contests,
        Call.ARGUMENTS,
        "loop_arguments",
        ForeignCallSuite::arguments,
        ForeignCallSuite::argumentsShort);
    for (Copy copy : Copy.values()) {
      Calls ours = copy.isIn() ? in(copy.bytes) : out(copy.bytes);
      contests.add(
          Contest.timed(copy.figure(), PEER, 1, copying(copy, ours), copyingInC(copy.bytes)));
    }
    return contests;
  }

  private static void call(
      List<Contest> contests, Call call, String loop, Calls plain, Calls critical) {
    MethodHandle inC = C.function(loop, OF_LOOP);
    Trial peer = calling(call, count -> (long) inC.invokeExact((long) count));
    contests.add(Contest.timed(call.figure(), PEER, 1, calling(call, plain), peer));
    contests.add(Contest.timed(call.figure() + CRITICAL, PEER, 1, calling(call, critical), peer));
  }

  private static Trial calling(Call call, Calls calls) {
    return Trial.of(
        "the sum of results",
        count -> run(calls, count),
        count -> {
          long triangle = (long) count * (count - 1) / 2;
          return switch (call) {
            case NONE -> count;
            case RESULT -> 42L * count;
            case ARGUMENT -> triangle + count;
            case ARGUMENTS -> triangle + 6L * count;
          };
        });
  }

  private static long run(Calls calls, int count) {
    try {
      return calls.run(count);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a C function threw", e);
    }
  }

  private static long none(int count) throws Throwable {
    for (int i = 0; i < count; i++) {
      NONE.invokeExact();
    }
    return count;
  }

  private static long noneShort(int count) throws Throwable {
    for (int i = 0; i < count; i++) {
      NONE_SHORT.invokeExact();
    }
    return count;
  }

  private static long result(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) RESULT.invokeExact();
    }
    return sum;
  }

  private static long resultShort(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) RESULT_SHORT.invokeExact();
    }
    return sum;
  }

  private static long argument(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) ARGUMENT.invokeExact(i);
    }
    return sum;
  }

  private static long argumentShort(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) ARGUMENT_SHORT.invokeExact(i);
    }
    return sum;
  }

  private static long arguments(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) ARGUMENTS.invokeExact(i, 1, 2, 3);
    }
    return sum;
  }

  private static long argumentsShort(int count) throws Throwable {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (int) ARGUMENTS_SHORT.invokeExact(i, 1, 2, 3);
    }
    return sum;
  }

  /// Between the array and C's memory: a last byte that is new each time must arrive.
  private Trial copying(Copy copy, Calls calls) {
    int last = copy.bytes - 1;
    return count -> {
      mark++;
      array[last] = copy.isIn() ? 0 : mark;
      here.set(JAVA_BYTE, last, copy.isIn() ? mark : 0);
      long start = System.nanoTime();
      run(calls, count);
      long nanos = System.nanoTime() - start;
      byte arrived = copy.isIn() ? array[last] : here.get(JAVA_BYTE, last);
      WrongResultException.check("the last byte of a copy", mark, arrived);
      return nanos;
    };
  }

  private Trial copyingInC(int bytes) {
    return count -> {
      mark++;
      here.set(JAVA_BYTE, bytes - 1, mark);
      long start = System.nanoTime();
      run(times -> (long) LOOP_COPY.invokeExact(there, here, (long) bytes, (long) times), count);
      long nanos = System.nanoTime() - start;
      WrongResultException.check("the last byte of a copy", mark, there.get(JAVA_BYTE, bytes - 1));
      return nanos;
    };
  }

  private Calls in(int bytes) {
    return count -> {
      for (int i = 0; i < count; i++) {
        MemorySegment.copy(here, JAVA_BYTE, 0, array, 0, bytes);
      }
      return count;
    };
  }

  private Calls out(int bytes) {
    return count -> {
      for (int i = 0; i < count; i++) {
        MemorySegment.copy(array, 0, here, JAVA_BYTE, 0, bytes);
      }
      return count;
    };
  }
}
