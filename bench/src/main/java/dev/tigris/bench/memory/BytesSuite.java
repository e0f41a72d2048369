package dev.tigris.bench.memory;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;

/// Reading numbers of several sizes from bytes, where they do not lie one after the other: the keys
/// of records, words at random, and the fields of a header. An operation is one number.
///
/// 16 KiB, so that it is the code that is measured, and not caches.
public final class BytesSuite implements Suite {
  static final List<String> FIGURES =
      List.of("memory.bytes.records", "memory.bytes.random", "memory.bytes.header");

  private static final String ARRAY = "byte[]";

  private static final int BYTES = 16 * 1024;
  private static final int RECORD_BYTES = 100;
  private static final int RECORDS = BYTES / RECORD_BYTES;
  private static final int HEADER_BYTES = 48;
  private static final int HEADER_FIELDS = 8;
  private static final int PLACES = 2048;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final VarHandle ARRAY_LONG = inArrays(long[].class);
  private static final VarHandle ARRAY_INT = inArrays(int[].class);
  private static final VarHandle ARRAY_SHORT = inArrays(short[].class);

  private final byte[] array = new byte[BYTES];
  private final Bytes bytes = Jbuf.allocate(BYTES).asBytes();
  private final MemorySegment segment = Arena.ofAuto().allocate(BYTES);
  private final int[] places;

  /// Makes a suite; the measuring process calls this.
  public BytesSuite() {
    Random random = new Random(1);
    random.nextBytes(array);
    bytes.copyFrom(0, array, 0, BYTES);
    MemorySegment.copy(array, 0, segment, ValueLayout.JAVA_BYTE, 0, BYTES);
    places = random.ints(PLACES, 0, BYTES - HEADER_BYTES).toArray();
  }

  private static VarHandle inArrays(Class<?> type) {
    return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN)
        .withInvokeExactBehavior();
  }

  @Override
  public List<Contest> contests(Scale scale) {
    long records = records(array);
    long random = random(array, places);
    long headers = headers(array, places);
    return List.of(
        contest(
            0,
            Bar.MEMORY_SEGMENT,
            2 * RECORDS,
            records,
            () -> records(bytes),
            () -> records(segment)),
        contest(0, ARRAY, 2 * RECORDS, records, () -> records(bytes), () -> records(array)),
        contest(
            1,
            Bar.MEMORY_SEGMENT,
            PLACES,
            random,
            () -> random(bytes, places),
            () -> random(segment, places)),
        contest(1, ARRAY, PLACES, random, () -> random(bytes, places), () -> random(array, places)),
        contest(
            2,
            Bar.MEMORY_SEGMENT,
            HEADER_FIELDS * PLACES,
            headers,
            () -> headers(bytes, places),
            () -> headers(segment, places)),
        contest(
            2,
            ARRAY,
            HEADER_FIELDS * PLACES,
            headers,
            () -> headers(bytes, places),
            () -> headers(array, places)));
  }

  private static Contest contest(
      int figure,
      String peer,
      int operations,
      long expected,
      LongSupplier subject,
      LongSupplier rival) {
    return Contest.timed(
        FIGURES.get(figure),
        peer,
        operations,
        ViewSuite.sums("sum of Bytes", subject, expected),
        ViewSuite.sums("sum of a " + peer, rival, expected));
  }

  // ---- the first ten bytes of each record

  private static long records(Bytes from) {
    long sum = 0;
    for (long at = 0; at <= from.length() - RECORD_BYTES; at += RECORD_BYTES) {
      sum += from.getLong(at) ^ from.getShort(at + 8);
    }
    return sum;
  }

  private static long records(MemorySegment from) {
    long sum = 0;
    for (long at = 0; at <= from.byteSize() - RECORD_BYTES; at += RECORD_BYTES) {
      sum += from.get(LONG, at) ^ from.get(SHORT, at + 8);
    }
    return sum;
  }

  private static long records(byte[] from) {
    long sum = 0;
    for (int at = 0; at <= from.length - RECORD_BYTES; at += RECORD_BYTES) {
      sum += (long) ARRAY_LONG.get(from, at) ^ (short) ARRAY_SHORT.get(from, at + 8);
    }
    return sum;
  }

  // ---- words at random

  private static long random(Bytes from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum += from.getLong(at);
    }
    return sum;
  }

  private static long random(MemorySegment from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum += from.get(LONG, at);
    }
    return sum;
  }

  private static long random(byte[] from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum += (long) ARRAY_LONG.get(from, at);
    }
    return sum;
  }

  // ---- the fields of a header

  private static long headers(Bytes from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum += from.getLong(at) + from.getInt(at + 8) + from.getInt(at + 12);
      sum ^= from.getShort(at + 16) + from.getShort(at + 18) + from.getInt(at + 20);
      sum += from.getLong(at + 24) ^ from.getLong(at + 40);
    }
    return sum;
  }

  private static long headers(MemorySegment from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum += from.get(LONG, at) + from.get(INT, at + 8) + from.get(INT, at + 12);
      sum ^= from.get(SHORT, at + 16) + from.get(SHORT, at + 18) + from.get(INT, at + 20);
      sum += from.get(LONG, at + 24) ^ from.get(LONG, at + 40);
    }
    return sum;
  }

  private static long headers(byte[] from, int[] places) {
    long sum = 0;
    for (int at : places) {
      sum +=
          (long) ARRAY_LONG.get(from, at)
              + (int) ARRAY_INT.get(from, at + 8)
              + (int) ARRAY_INT.get(from, at + 12);
      sum ^=
          (short) ARRAY_SHORT.get(from, at + 16)
              + (short) ARRAY_SHORT.get(from, at + 18)
              + (int) ARRAY_INT.get(from, at + 20);
      sum += (long) ARRAY_LONG.get(from, at + 24) ^ (long) ARRAY_LONG.get(from, at + 40);
    }
    return sum;
  }
}
