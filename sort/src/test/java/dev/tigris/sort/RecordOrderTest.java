package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Sorts of records by typed keys, against comparators that read the keys as Java does.
class RecordOrderTest {
  private static final int SIZE = 40;
  private static final int RECORDS = 120_000;
  private static final long EXTERNAL = 4 << 20;

  @TempDir Path folder;

  /// Keys, and what compares records by them.
  private record Case(List<String> keys, Comparator<ByteBuffer> comparator) {
    RecordOrder order() {
      RecordOrder order = RecordOrder.ofRecords(SIZE);
      for (String key : keys) {
        order = order.key(key);
      }
      return order;
    }
  }

  private static ByteBuffer little(ByteBuffer record) {
    return record.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static Comparator<ByteBuffer> bytes(int offset, int length) {
    return (one, other) -> {
      for (int i = offset; i < offset + length; i++) {
        int compared = Byte.compareUnsigned(one.get(i), other.get(i));
        if (compared != 0) {
          return compared;
        }
      }
      return 0;
    };
  }

  private static List<Case> cases() {
    return List.of(
        new Case(
            List.of("8:u64le:desc"),
            (one, other) -> Long.compareUnsigned(little(other).getLong(8), little(one).getLong(8))),
        new Case(
            List.of("16:i32be", "0:ascii:2"),
            Comparator.<ByteBuffer>comparingInt(record -> record.getInt(16))
                .thenComparing(bytes(0, 2))),
        new Case(
            List.of("24:f64le:desc", "32:f32be", "4:i8"),
            Comparator.<ByteBuffer>comparingDouble(record -> little(record).getDouble(24))
                .reversed()
                .thenComparing(Comparator.comparingDouble(record -> record.getFloat(32)))
                .thenComparing(Comparator.comparingInt(record -> record.get(4)))),
        new Case(
            List.of("5:i24le", "4:bytes:3:desc"), // which overlap
            Comparator.<ByteBuffer>comparingInt(record -> little(record).getInt(4) >> 8)
                .thenComparing(bytes(4, 3).reversed())),
        new Case(
            List.of("36:u16le", "38:u16be"), // side by side
            Comparator.<ByteBuffer>comparingInt(
                    record -> Short.toUnsignedInt(little(record).getShort(36)))
                .thenComparing(
                    Comparator.comparingInt(record -> Short.toUnsignedInt(record.getShort(38))))));
  }

  /// Records of few different keys, whose last byte but one tells equal ones apart.
  private static List<ByteBuffer> records(long seed) {
    var random = new Random(seed);
    List<ByteBuffer> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      ByteBuffer record = ByteBuffer.allocate(SIZE);
      for (int at = 0; at < SIZE; at += Long.BYTES) {
        record.putLong(at, random.nextLong());
      }
      record.putShort(0, (short) random.nextInt(4));
      record.put(4, (byte) random.nextInt(8));
      record.order(ByteOrder.LITTLE_ENDIAN);
      record.putInt(5, random.nextInt(8) - 4);
      record.putLong(8, random.nextInt(4) == 0 ? random.nextInt(50) : random.nextLong());
      record.putDouble(24, random.nextBoolean() ? -0.0 : (random.nextInt(9) - 4) / 2.0);
      record.order(ByteOrder.BIG_ENDIAN);
      record.putInt(16, random.nextInt(100) - 50);
      record.putFloat(32, (random.nextInt(9) - 4) * Float.MIN_VALUE);
      record.putInt(36, random.nextInt(50) << 16 | random.nextInt(50));
      records.add(record);
    }
    return records;
  }

  private static byte[] joined(List<ByteBuffer> records) {
    var all = new ByteArrayOutputStream();
    byte[] bytes = new byte[SIZE];
    for (ByteBuffer record : records) {
      record.get(0, bytes);
      all.writeBytes(bytes);
    }
    return all.toByteArray();
  }

  private static List<ByteBuffer> firsts(List<ByteBuffer> sorted, Comparator<ByteBuffer> order) {
    List<ByteBuffer> kept = new ArrayList<>();
    for (ByteBuffer record : sorted) {
      if (kept.isEmpty() || order.compare(kept.getLast(), record) != 0) {
        kept.add(record);
      }
    }
    return kept;
  }

  @Test
  void sortsByTypedKeysInMemoryAndExternally() throws Exception {
    List<ByteBuffer> records = records(3);
    Path input = Files.write(folder.resolve("input"), joined(records));
    Path sorted = folder.resolve("sorted");
    for (Case each : cases()) {
      List<ByteBuffer> expected = new ArrayList<>(records);
      expected.sort(each.comparator());
      byte[] stable = joined(expected);
      byte[] unique = joined(firsts(expected, each.comparator()));
      for (long memory : new long[] {EXTERNAL, SortJob.DEFAULT_MEMORY_BYTES}) {
        SortJob job = SortJob.of(List.of(input), sorted).memory(memory).unforced();
        SortJob.Result result = job.order(each.order().stable()).run();
        assertEquals(memory == EXTERNAL, result.spilledBytes() > 0);
        assertArrayEquals(stable, Files.readAllBytes(sorted), () -> each.keys().toString());
        result = job.order(each.order().unique()).run();
        assertArrayEquals(unique, Files.readAllBytes(sorted), () -> each.keys().toString());
        assertEquals(unique.length / SIZE, result.keptRecords());
        assertTrue(isOrdered(each, sorted));
      }
      SortJob.of(List.of(input), sorted).order(each.order()).unforced().run();
      assertTrue(isOrdered(each, sorted), () -> each.keys().toString());
      assertFalse(isOrdered(each, input));
    }
  }

  private static boolean isOrdered(Case given, Path file) throws Exception {
    return CheckJob.of(List.of(file)).order(given.order()).run().summary().isOrdered();
  }

  @Test
  void writesUniqueRecordsToPartitions() throws Exception {
    List<ByteBuffer> records = records(4);
    Path input = Files.write(folder.resolve("input"), joined(records));
    Path parts = folder.resolve("parts");
    Case given = cases().get(1);
    SortJob.Result result =
        SortJob.of(List.of(input), parts)
            .order(given.order().unique())
            .partitioned()
            .unforced()
            .run();
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < result.files(); i++) {
      all.writeBytes(Files.readAllBytes(parts.resolve("part-%04d".formatted(i))));
    }
    records.sort(given.comparator());
    assertArrayEquals(joined(firsts(records, given.comparator())), all.toByteArray());
  }

  @Test
  void keepsTheOrderOfEqualRecordsOfSeveralFiles() throws Exception {
    List<ByteBuffer> records = records(5);
    List<Path> inputs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      List<ByteBuffer> third = records.subList(i * RECORDS / 3, (i + 1) * RECORDS / 3);
      inputs.add(Files.write(folder.resolve("input-" + i), joined(third)));
    }
    Path sorted = folder.resolve("sorted");
    RecordOrder order = RecordOrder.ofRecords(SIZE).key("0:bytes:2").stable();
    SortJob.of(inputs, sorted).order(order).unforced().run();
    records.sort(bytes(0, 2));
    assertArrayEquals(joined(records), Files.readAllBytes(sorted));
  }

  @Test
  void countsWhatIsOutOfOrderByTypedKeys() throws Exception {
    List<ByteBuffer> records = records(6);
    Case given = cases().get(2);
    Path file = Files.write(folder.resolve("records"), joined(records));
    long unordered = 0;
    long duplicates = 0;
    for (int i = 1; i < RECORDS; i++) {
      int compared = given.comparator().compare(records.get(i - 1), records.get(i));
      unordered += compared > 0 ? 1 : 0;
      duplicates += compared == 0 ? 1 : 0;
    }
    CheckSummary found = CheckJob.of(List.of(file)).order(given.order()).run().summary();
    assertEquals(UInt128.of(unordered), found.unordered());
    assertEquals(UInt128.of(duplicates), found.duplicates());
  }

  @Test
  void joinsSummariesOfTheSameTypedKeysOnly() throws Exception {
    List<ByteBuffer> records = records(7).subList(0, 100);
    Case given = cases().get(0);
    records.sort(given.comparator());
    Path low = Files.write(folder.resolve("low"), joined(records.subList(0, 50)));
    Path high = Files.write(folder.resolve("high"), joined(records.subList(50, 100)));
    CheckSummary first = CheckJob.of(List.of(low)).order(given.order()).run().summary();
    Path file = folder.resolve("summary");
    CheckJob.of(List.of(high)).order(given.order()).run().summary().write(file);
    CheckSummary second = CheckSummary.read(file).getFirst();
    assertTrue(first.then(second).isOrdered());
    assertFalse(second.then(first).isOrdered());
    CheckSummary other = CheckJob.of(List.of(high)).order(cases().get(3).order()).run().summary();
    assertThrows(IllegalArgumentException.class, () -> first.then(other));
  }

  /// IEEE 754's total order, NaNs and zeros included.
  @Test
  void ordersFloatingPointNumbersTotally() {
    double[] ordered = {
      Double.longBitsToDouble(-1L), // a negative NaN
      Double.NEGATIVE_INFINITY,
      -1,
      -Double.MIN_VALUE,
      -0.0,
      0.0,
      Double.MIN_VALUE,
      1,
      Double.POSITIVE_INFINITY,
      Double.NaN,
    };
    RecordOrder order = RecordOrder.ofRecords(8).key("0:f64be");
    for (int i = 1; i < ordered.length; i++) {
      byte[] before = ByteBuffer.allocate(8).putDouble(ordered[i - 1]).array();
      byte[] after = ByteBuffer.allocate(8).putDouble(ordered[i]).array();
      if (i == 1) {
        before = ByteBuffer.allocate(8).putLong(-1L).array();
      }
      assertTrue(order.compare(before, after) < 0, "the number before " + ordered[i]);
    }
  }

  @Test
  void undoesWhatItEncodes() throws Exception {
    var random = new Random(8);
    String[] types = {"u8", "i16le", "u24be", "i40le", "f32le", "f64be", "u64be:desc", "bytes:5"};
    for (int i = 0; i < 300; i++) {
      RecordOrder order = RecordOrder.ofRecords(SIZE);
      for (int keys = 1 + random.nextInt(4); keys > 0; keys--) {
        order = order.key(random.nextInt(32) + ":" + types[random.nextInt(types.length)]);
      }
      order = random.nextBoolean() ? order.stable() : order.key("0:u8:desc");
      RecordCode code = Objects.requireNonNull(RecordCode.of(order, 1000));
      byte[] records = new byte[3 * SIZE];
      random.nextBytes(records);
      byte[] encoded = new byte[3 * code.encoded().recordSize()];
      code.encode(records, 0, 3, 7, encoded);
      byte[] back = new byte[records.length];
      code.decode(encoded, 3, back);
      assertArrayEquals(records, back, order.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8:u64,             does not say its byte order",
    "8:u65le,           integers have 8",
    "8:f16le,           have 32 or 64",
    "36:u64le,          does not lie inside",
    "0:ascii,           has the form",
    "0:ascii:0,         does not lie inside",
    "9999999999:u8,     does not lie inside",
    "'2,2n',            has the form",
    "0:u8:asc,          has the form",
  })
  void refusesKeysThatMakeNoSense(String key, String reason) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> RecordOrder.ofRecords(SIZE).key(key));
    assertTrue(String.valueOf(refused.getMessage()).contains(reason), refused.getMessage());
  }

  @Test
  void refusesLargeRecordsByName() throws Exception {
    Path input = Files.write(folder.resolve("input"), new byte[2 << 16]);
    RecordOrder order = RecordOrder.ofRecords(1 << 16).key("0:u32le");
    SortException refused =
        assertThrows(
            SortException.class,
            () -> SortJob.of(List.of(input), folder.resolve("out")).order(order).run());
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().contains("too large for typed"), refused.getMessage());
  }
}
