package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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
}
