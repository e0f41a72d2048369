package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.operator.MapRows;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Values that are read a word at a time, wherever they lie in a view.
class ValuesTest {
  private static final String DIGITS = "9182736450918273645";

  private static long decimal(String text, int behind, int scale) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    Jbuf buffer = Jbuf.allocate(bytes.length + behind, "value");
    Bytes view = buffer.asBytes().slice(0, bytes.length + behind);
    view.copyFrom(0, bytes, 0, bytes.length);
    for (int i = 0; i < behind; i++) {
      view.set(bytes.length + i, (byte) '7'); // what follows is not of the value
    }
    long value = Values.decimal(view, 0, bytes.length, scale);
    buffer.unreference(Jbuf::free);
    return value;
  }

  @Test
  void readsDecimalsOfEveryLength() {
    for (int length = 1; length <= 19; length++) {
      for (int point = 0; point <= length; point++) {
        String text = DIGITS.substring(0, length);
        String number =
            point == length ? text : text.substring(0, point) + "." + text.substring(point);
        for (String sign : new String[] {"", "-", "+"}) {
          BigDecimal expected = new BigDecimal(sign + number).movePointRight(2);
          boolean fits = length - point <= 2 && expected.precision() - expected.scale() <= 18;
          if (fits) {
            assertEquals(expected.longValueExact(), decimal(sign + number, 0, 2), sign + number);
            assertEquals(expected.longValueExact(), decimal(sign + number, 9, 2), sign + number);
          } else if (length - point > 2) {
            assertEquals(Values.NONE, decimal(sign + number, 3, 2), sign + number);
          }
        }
      }
    }
    for (String wrong :
        new String[] {"", "-", ".", "1..2", "1a", "12345678x", "+-1", "1.2.", " 1"}) {
      assertEquals(Values.NONE, decimal(wrong, 8, 2), wrong);
    }
  }

  @Test
  void equalBytesHaveEqualHashesWhereverTheyLie() {
    for (int length = 0; length < 20; length++) {
      Jbuf buffer = Jbuf.allocate(length + 11L, "value");
      Bytes whole = buffer.asBytes();
      Bytes first = whole.slice(0, length);
      for (int i = 0; i < length + 11; i++) {
        whole.set(i, (byte) i);
      }
      long hash = Hash.of(first, 0, length);
      for (int at = 0; at <= 11; at++) {
        for (int i = 0; i < length; i++) {
          whole.set(at + i, (byte) (i + 200));
        }
        Bytes copy = whole.slice(0, at + length);
        Jbuf other = Jbuf.allocate(length + 1L, "value");
        Bytes same = other.asBytes().slice(0, length);
        whole.copyTo(at, same, 0, length);
        assertEquals(Hash.of(same, 0, length), Hash.of(copy, at, length));
        assertTrue(Hash.areEqual(same, 0, copy, at, length));
        for (int i = 0; i < length; i++) {
          same.set(i, (byte) 0);
          assertFalse(Hash.areEqual(same, 0, copy, at, length), at + " " + i);
          same.set(i, (byte) (i + 200));
        }
        other.unreference(Jbuf::free);
      }
      assertTrue(length == 0 || hash != Hash.of(whole, 11, length));
      buffer.unreference(Jbuf::free);
    }
  }

  /// Calls back with a view that has nothing but these texts, one behind the other.
  private static <T> T viewing(String first, String second, Function<Bytes, T> body) {
    byte[] bytes = (first + second).getBytes(StandardCharsets.ISO_8859_1);
    Jbuf buffer = Jbuf.allocate(bytes.length + 1L, "value");
    Bytes view = buffer.asBytes().slice(0, bytes.length);
    view.copyFrom(0, bytes, 0, bytes.length);
    T result = body.apply(view);
    buffer.unreference(Jbuf::free);
    return result;
  }

  @Test
  void readsRealsAsTheJdkDoesOrLeavesThemToIt() {
    Random random = new Random(3);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      String text =
          switch (i % 4) {
            case 0 -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(12)));
            case 1 -> "%.3f".formatted(random.nextDouble() * 1e6);
            case 2 -> Long.toString(random.nextLong() >> random.nextInt(64));
            default -> random.nextInt() + "." + random.nextInt(1 << 20);
          };
      double value = viewing(text, "", view -> Values.real(view, 0, text.length()));
      if (!Double.isNaN(value)) {
        read++;
        assertEquals(Double.parseDouble(text), value, text);
      }
    }
    assertTrue(read > 8000, read + " were read");
    for (String wrong : List.of("", "-", ".", "1..2", "1e5", "x", "--1")) {
      double value = viewing(wrong, "", view -> Values.real(view, 0, wrong.length()));
      assertTrue(Double.isNaN(value), wrong);
    }
  }

  @Test
  void readsDatesAsTheJdkDoes() {
    for (int year : new int[] {0, 1, 4, 100, 400, 1582, 1600, 1900, 1969, 1970, 2000, 2024, 9999}) {
      for (int month = 0; month <= 13; month++) {
        for (int day = 0; day <= 32; day++) {
          String text = "%04d-%02d-%02d".formatted(year, month, day);
          long expected;
          try {
            expected = LocalDate.parse(text).toEpochDay();
          } catch (DateTimeParseException _) {
            expected = Values.NONE;
          }
          long found = viewing(text, "", view -> Values.epochDay(view, 0, text.length()));
          assertEquals(expected, found, text);
        }
      }
    }
    for (String wrong : List.of("2026-1-01", "2026/01/01", "20260101", "2026-01-0x")) {
      long day = viewing(wrong, "", view -> Values.epochDay(view, 0, wrong.length()));
      assertEquals(Values.NONE, day, wrong);
    }
  }

  @Test
  void comparesByUnsignedBytes() {
    Random random = new Random(9);
    for (int i = 0; i < 20_000; i++) {
      String shared = "s".repeat(random.nextInt(12));
      String a = shared + some(random);
      String b = shared + some(random);
      int order =
          viewing(a, b, view -> Values.compare(view, 0, a.length(), view, a.length(), b.length()));
      int expected =
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.ISO_8859_1), b.getBytes(StandardCharsets.ISO_8859_1));
      assertEquals(Integer.signum(expected), Integer.signum(order), a + " and " + b);
    }
  }

  private static String some(Random random) {
    char[] text = new char[random.nextInt(12)];
    for (int i = 0; i < text.length; i++) {
      text[i] = random.nextBoolean() ? 'a' : (char) random.nextInt(256);
    }
    return new String(text);
  }

  /// Each row says what its cursor says of two fields, beside what the JDK says of their strings.
  @Test
  void aCursorLooksIntoFieldsAsStringsDo(@TempDir Path folder) throws Exception {
    Random random = new Random(11);
    var text = new StringBuilder("v,w\n");
    for (int i = 0; i < 2000; i++) {
      text.append(letters(random, 20)).append(",\"").append(letters(random, 4)).append("\"\n");
    }
    Path in = Files.writeString(folder.resolve("in"), text.toString());
    AtomicInteger found = new AtomicInteger();
    Flow.named("look")
        .stage(
            "look",
            () -> new MapRows(List.of("v", "w"), List.of("x"), (r, f, to) -> look(r, found)))
        .feed("look", Csv.reading(in).withBlockBytes(1000))
        .drain("look", Csv.writing(folder.resolve("out")))
        .build()
        .start()
        .await();
    assertTrue(found.get() > 500, found + " occur");
  }

  private static void look(Rows rows, AtomicInteger found) {
    String v = rows.text(0);
    String w = rows.text(1);
    byte[] wanted = w.getBytes(StandardCharsets.US_ASCII);
    int at = rows.indexOf(0, wanted);
    assertEquals(v.indexOf(w), at, rows.row());
    assertEquals(v.startsWith(w), rows.startsWith(0, wanted), rows.row());
    assertEquals(v.equals(w), rows.equals(0, wanted), rows.row());
    assertEquals(Integer.signum(v.compareTo(w)), Integer.signum(rows.compare(0, rows, 1)));
    found.addAndGet(at >= 0 ? 1 : 0);
  }

  private static String letters(Random random, int most) {
    return random
        .ints(random.nextInt(most), 'a', 'c')
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }
}
