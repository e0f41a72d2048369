package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

class Utf8Properties {
  static final class Named extends Pso {
    byte before;

    @Capacity(40)
    Utf8 name;

    @Capacity(40)
    Utf8 other;

    byte after;

    Named(Container container) {
      super(container);
    }
  }

  private final Jbuf jbuf = Jbuf.allocate(4096);
  private final Bytes bytes = jbuf.asBytes();
  private final Named named = new Named(bytes.asContainer());

  /// Where the text of `name` begins in the container: behind the length, at an offset of 4.
  private long textAt() {
    return named.offset() + 8;
  }

  private static boolean isText(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Property(tries = 500)
  void holdsWhatFitsAndRefusesTheRest(@ForAll @StringLength(max = 30) String text) {
    named.before = 1;
    named.after = 2;
    named.name.set("old");
    if (isText(text) && utf8(text).length <= 40) {
      named.name.set(text);

      assertEquals(text, named.name.toString());
      assertTrue(named.name.contentEquals(text));
      assertFalse(named.name.contentEquals(text + "x"));
      assertEquals(utf8(text).length, named.name.lengthBytes());
      byte[] copy = new byte[40];
      int length = named.name.copyTo(copy, 0);
      assertArrayEquals(utf8(text), Arrays.copyOf(copy, length));
      named.other.set(named.name);
      assertTrue(named.other.contentEquals(named.name));
    } else {
      assertThrows(IllegalArgumentException.class, () -> named.name.set(text));
      assertEquals("old", named.name.toString());
    }
    assertEquals(1, named.before);
    assertEquals(2, named.after);
  }

  @Property(tries = 500)
  void equalsExactlyTheSameText(
      @ForAll @StringLength(max = 10) String one, @ForAll @StringLength(max = 10) String two) {
    if (isText(one)) {
      named.name.set(one);
      assertEquals(one.equals(two), named.name.contentEquals(two));
      assertTrue(named.name.contentEquals(one));
    }
  }

  @Property(tries = 300)
  void ordersTextsAsTheirCodePointsAre(
      @ForAll @StringLength(max = 10) String one, @ForAll @StringLength(max = 10) String two) {
    if (isText(one) && isText(two)) {
      named.name.set(one);
      named.other.set(two);
      int expected = Arrays.compare(one.codePoints().toArray(), two.codePoints().toArray());
      assertEquals(Integer.signum(expected), Integer.signum(named.name.compareTo(named.other)));
    }
  }

  @Property(tries = 500)
  void comparesTextsThatBeginAlike(
      @ForAll @AlphaChars @StringLength(max = 20) String both,
      @ForAll @StringLength(max = 3) String one,
      @ForAll @StringLength(max = 3) String two) {
    if (isText(one) && isText(two)) {
      named.name.set(both + one);
      named.other.set(both + two);
      int expected = Arrays.compare(one.codePoints().toArray(), two.codePoints().toArray());
      assertEquals(Integer.signum(expected), Integer.signum(named.name.compareTo(named.other)));
      assertEquals(expected == 0, named.name.contentEquals(named.other));
      assertEquals(expected == 0, named.name.contentEquals(both + two));
      assertEquals(expected == 0, named.name.contentEquals(utf8(both + two)));
    }
  }

  @Example
  void tellsBytesApartThatDifferAnywhere() {
    byte[] text = utf8("abcdefghijklmnopqrstuvwxyzabcdefghijklmn");
    for (int length = 0; length <= text.length; length++) {
      byte[] wanted = Arrays.copyOf(text, length);
      named.name.set(new String(wanted, StandardCharsets.US_ASCII));
      assertTrue(named.name.contentEquals(wanted));
      assertEquals(length == text.length, named.name.contentEquals(text));
      for (int at = 0; at < length; at++) {
        wanted[at] ^= 0x40;
        assertFalse(named.name.contentEquals(wanted), at + " of " + length);
        wanted[at] ^= 0x40;
      }
    }
  }

  @Property(tries = 500)
  void anyBytesAreTheTextThatTheDecoderReadsOrCorrupt(@ForAll @Size(max = 40) byte[] content) {
    bytes.copyFrom(textAt(), content, 0, content.length);
    bytes.setInt(textAt() - 4, content.length);
    String decoded = new String(content, StandardCharsets.UTF_8);
    boolean valid = Arrays.equals(utf8(decoded), content);
    if (valid) {
      assertEquals(decoded, named.name.toString());
    } else {
      assertThrows(CorruptTextException.class, named.name::toString);
    }
    assertEquals(valid, named.name.contentEquals(decoded));
  }

  @Property(tries = 1000)
  void anImpossibleLengthIsAnError(@ForAll int length) {
    bytes.setInt(textAt() - 4, length);
    if (length < 0 || length > 40) {
      assertThrows(CorruptTextException.class, named.name::lengthBytes);
      assertThrows(CorruptTextException.class, named.name::toString);
      assertThrows(CorruptTextException.class, () -> named.name.byteAt(0));
      assertThrows(CorruptTextException.class, () -> named.other.set(named.name));
    } else {
      assertEquals(length, named.name.lengthBytes());
    }
    named.name.clear();
    assertTrue(named.name.isEmpty());
  }

  @Example
  void readsNoByteBehindTheText() {
    named.name.set("abc");
    assertEquals('c', named.name.byteAt(2));
    assertThrows(IndexOutOfBoundsException.class, () -> named.name.byteAt(3));
    assertThrows(IndexOutOfBoundsException.class, () -> named.name.byteAt(-1));
    assertThrows(IndexOutOfBoundsException.class, () -> named.name.copyTo(new byte[3], 1));
  }

  /// Grows between the time that its length is counted and the time that it is copied.
  private static final class Growing implements CharSequence {
    private int asked;

    @Override
    public int length() {
      return asked++ < 2 ? 1 : 2000;
    }

    @Override
    public char charAt(int index) {
      return 'x';
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String toString() {
      return "x";
    }
  }

  @Example
  void aTextThatChangesWhileItIsReadStaysInItsPlace() {
    Named next = new Named(bytes.asContainer());
    named.other.set("other");
    assertThrows(IndexOutOfBoundsException.class, () -> named.name.set(new Growing()));
    assertEquals("other", named.other.toString());
    assertEquals(0, named.after);
    assertEquals(0, next.before);
    assertTrue(named.name.lengthBytes() <= 40);
  }
}
