// Over 400 lines: all that is done with a text where it lies.
package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Bounded text in an object: a length and up to [#capacityBytes] bytes of UTF-8.
///
/// ```
///   offset   size
///        0      4   length in bytes
///        4    ...   the bytes; what lies behind the length means nothing
/// ```
///
/// Declared as a field with its capacity, `@Capacity(12) Utf8 symbol`, it is read, compared and
/// written in place; [#toString] makes a String when one is wanted. Comparing goes by code points,
/// as UTF-8 orders bytes; it is inconsistent with `equals`, which tells places and not texts apart:
/// [#contentEquals] compares texts.
///
/// Reading the field makes this object, which has nothing of its own and which the compiler leaves
/// out where it is used at once. So two that stand for
/// the same text need not be the same, as with a `String`: compare them with `equals`, and
/// synchronize on something else.
///
/// The length that is stored is never trusted: one that is larger than the capacity is a
/// [CorruptTextException], and so are bytes that are no UTF-8 when they are turned into a String.
///
/// Thread rule: plain memory. A reader beside a writer may see a mix of the two texts.
public final class Utf8 implements Comparable<Utf8> {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final int DATA_AT = Integer.BYTES;

  private final Pso holder;

  /// The distance from the holder's first byte to the length.
  private final int at;

  private final int capacityBytes;

  Utf8(Pso holder, int at, int capacityBytes) {
    this.holder = holder;
    this.at = at;
    this.capacityBytes = capacityBytes;
  }

  /// Returns the size of the largest text that fits, in bytes.
  public int capacityBytes() {
    return capacityBytes;
  }

  /// Returns the length of the text in bytes.
  ///
  /// @throws CorruptTextException if the stored length is impossible
  public int lengthBytes() {
    return length(holder, at, capacityBytes);
  }

  /// Returns whether the text has no bytes.
  public boolean isEmpty() {
    return length(holder, at, capacityBytes) == 0;
  }

  /// Returns the byte at `index` of the text.
  ///
  /// @throws IndexOutOfBoundsException if the text is not so long
  /// @throws CorruptTextException if the stored length is impossible
  public byte byteAt(int index) {
    Objects.checkIndex(index, length(holder, at, capacityBytes));
    return get(holder, at, index);
  }

  /// Replaces the text by these characters.
  ///
  /// @throws IllegalArgumentException if it does not fit, or holds half a surrogate pair; the old
  ///     text is still there then
  /// @throws IndexOutOfBoundsException if the text grew meanwhile and does not fit any more
  public void set(CharSequence text) {
    set(holder, at, capacityBytes, text);
  }

  /// Replaces the text by that of another field.
  ///
  /// @throws IllegalArgumentException if it does not fit
  public void set(Utf8 other) {
    int length = length(other.holder, other.at, other.capacityBytes);
    if (length > capacityBytes) {
      throw new IllegalArgumentException(
          "the text takes %d bytes, and there is room for %d: declare a larger @Capacity"
              .formatted(length, capacityBytes));
    }
    long start = start(holder, at);
    // Within one segment: slices would be objects until the code is compiled.
    MemorySegment.copy(Raw.GLOBAL, start(other.holder, other.at), Raw.GLOBAL, start, length);
    Reference.reachabilityFence(other.holder);
    setLength(holder, start, length);
  }

  /// Makes the text empty.
  public void clear() {
    setLength(holder, start(holder, at), 0);
  }

  /// Returns whether the text consists of these characters.
  public boolean contentEquals(CharSequence text) {
    return contentEquals(holder, at, length(holder, at, capacityBytes), text);
  }

  /// Returns whether the text consists of these bytes. That is quicker than by characters, for a
  /// caller that looks for one text again and again.
  public boolean contentEquals(byte[] utf8) {
    int length = length(holder, at, capacityBytes);
    if (utf8.length != length) {
      return false;
    }
    long start = start(holder, at);
    boolean same = length < Long.BYTES ? sameBytes(start, utf8) : sameLongs(start, utf8);
    Reference.reachabilityFence(holder);
    return same;
  }

  /// Returns whether both hold the same bytes.
  public boolean contentEquals(Utf8 other) {
    int length = length(holder, at, capacityBytes);
    return length == length(other.holder, other.at, other.capacityBytes)
        && compare(holder, at, other.holder, other.at, length) == 0;
  }

  /// Orders texts as their code points do: negative if this one comes first, 0 if they are equal.
  @Override
  public int compareTo(Utf8 other) {
    int length = length(holder, at, capacityBytes);
    int otherLength = length(other.holder, other.at, other.capacityBytes);
    int difference = compare(holder, at, other.holder, other.at, Math.min(length, otherLength));
    return difference == 0 ? length - otherLength : difference;
  }

  /// Copies the text's bytes to `target` and returns how many there were.
  ///
  /// @throws IndexOutOfBoundsException if there is no room for them from `targetIndex` on
  public int copyTo(byte[] target, int targetIndex) {
    int length = length(holder, at, capacityBytes);
    Objects.checkFromIndexSize(targetIndex, length, target.length);
    MemorySegment.copy(Raw.range(start(holder, at), length), BYTE, 0, target, targetIndex, length);
    Reference.reachabilityFence(holder);
    return length;
  }

  /// Returns the text as a String.
  ///
  /// @throws CorruptTextException if the bytes are not UTF-8
  @Override
  public String toString() {
    byte[] bytes = new byte[length(holder, at, capacityBytes)];
    // The length may have changed since; what was checked is what is copied.
    MemorySegment.copy(Raw.range(start(holder, at), bytes.length), BYTE, 0, bytes, 0, bytes.length);
    Reference.reachabilityFence(holder);
    for (byte unit : bytes) {
      if (unit < 0) {
        return decode(bytes);
      }
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /// Returns whether the other one stands for the same bytes, in whichever Java object it was read.
  @Override
  @SuppressWarnings("ReferenceEquality") // whatever the object's own equals says
  public boolean equals(@Nullable Object other) {
    return other instanceof Utf8 text
        && ((holder.bits == 0 || text.holder.bits == 0)
            ? text.holder == holder && text.at == at
            : Raw.distance(text.holder.bits) + text.at == Raw.distance(holder.bits) + at);
  }

  /// Returns a hash code of the place that this text stands for.
  @Override
  public int hashCode() {
    return holder.bits == 0
        ? System.identityHashCode(holder) * 31 + at
        : Long.hashCode(Raw.distance(holder.bits) + at);
  }

  // What follows is static, and this object is given to none of it: where one of these methods is
  // not inlined, C2 leaves the object out all the same.

  /// Where the first byte of the text is.
  private static long start(Pso holder, int at) {
    return holder.masked() + at + DATA_AT;
  }

  private static int length(Pso holder, int at, int capacityBytes) {
    int length = (int) Raw.INT.get(Raw.GLOBAL, holder.masked() + at);
    Reference.reachabilityFence(holder);
    if (length < 0 || length > capacityBytes) {
      throw new CorruptTextException(
          "a text of %d bytes cannot be where there is room for %d"
              .formatted(Integer.toUnsignedLong(length), capacityBytes));
    }
    return length;
  }

  /// Says how long the text at `start` is, wherever its object is by now.
  private static void setLength(Pso holder, long start, int length) {
    Raw.INT_ANY.set(Raw.GLOBAL, start - DATA_AT, length);
    Reference.reachabilityFence(holder);
  }

  private static byte get(Pso holder, int at, int index) {
    byte value = (byte) Raw.BYTE.get(Raw.GLOBAL, start(holder, at) + index);
    Reference.reachabilityFence(holder);
    return value;
  }

  private static void set(Pso holder, int at, int capacityBytes, CharSequence text) {
    int length = encodedBytes(text);
    if (length > capacityBytes) {
      throw new IllegalArgumentException(
          "'%s' takes %d bytes, and there is room for %d: declare a larger @Capacity, or shorten it"
              .formatted(text, length, capacityBytes));
    }
    long start = start(holder, at);
    int index = 0;
    for (int i = 0; i < text.length(); i++) {
      int point = text.charAt(i);
      if (Character.isHighSurrogate((char) point)) {
        point = Character.toCodePoint((char) point, text.charAt(++i));
      }
      index = put(start, index, capacityBytes, point);
    }
    setLength(holder, start, index);
  }

  /// Writes a code point, and returns where the next one goes.
  private static int put(long start, int from, int capacityBytes, int point) {
    int index = from;
    if (point < 0x80) {
      put(start, index++, capacityBytes, (byte) point);
      return index;
    }
    if (point < 0x800) {
      put(start, index++, capacityBytes, (byte) (0xc0 | (point >> 6)));
    } else {
      if (point < 0x1_0000) {
        put(start, index++, capacityBytes, (byte) (0xe0 | (point >> 12)));
      } else {
        put(start, index++, capacityBytes, (byte) (0xf0 | (point >> 18)));
        put(start, index++, capacityBytes, (byte) (0x80 | ((point >> 12) & 0x3f)));
      }
      put(start, index++, capacityBytes, (byte) (0x80 | ((point >> 6) & 0x3f)));
    }
    put(start, index++, capacityBytes, (byte) (0x80 | (point & 0x3f)));
    return index;
  }

  /// Checked, since a text that is being changed may be longer when it is copied than when it was
  /// measured.
  private static void put(long start, int index, int capacityBytes, byte value) {
    Objects.checkIndex(index, capacityBytes);
    Raw.BYTE.set(Raw.GLOBAL, start + index, value);
  }

  /// How many bytes a text takes.
  private static int encodedBytes(CharSequence text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit < 0x80) {
        bytes++;
      } else if (unit < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(unit)) {
        bytes += 3;
      } else if (Character.isHighSurrogate(unit)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else {
        throw new IllegalArgumentException(
            "half a surrogate pair at %d of '%s' is not a character".formatted(i, text));
      }
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }

  private static boolean contentEquals(Pso holder, int at, int length, CharSequence text) {
    int units = text.length();
    if (units > length) {
      return false; // each takes a byte at least
    }
    long start = start(holder, at);
    int same = 0;
    while (same < units
        // A byte that is part of a longer character is negative.
        && text.charAt(same) == (byte) Raw.BYTE.get(Raw.GLOBAL, start + same)) {
      same++;
    }
    boolean equal =
        same == units
            ? units == length
            : text.charAt(same) >= 0x80 && contentEqualsEncoded(start, length, text, same);
    Reference.reachabilityFence(holder);
    return equal;
  }

  /// Compares eight bytes at once, the last ones first: names and paths often begin alike. They may
  /// overlap those before them, so that no bytes are left over.
  private static boolean sameLongs(long start, byte[] utf8) {
    int last = utf8.length - Long.BYTES;
    if ((long) Raw.LONG_ANY.get(Raw.GLOBAL, start + last) != (long) LONG.get(utf8, last)) {
      return false;
    }
    for (int index = 0; index < last; index += Long.BYTES) {
      if ((long) Raw.LONG_ANY.get(Raw.GLOBAL, start + index) != (long) LONG.get(utf8, index)) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameBytes(long start, byte[] utf8) {
    for (int index = 0; index < utf8.length; index++) {
      if ((byte) Raw.BYTE.get(Raw.GLOBAL, start + index) != utf8[index]) {
        return false;
      }
    }
    return true;
  }

  /// Whether a text goes on from a character that takes more than one byte; what is before it is
  /// the same.
  private static boolean contentEqualsEncoded(long start, int length, CharSequence text, int from) {
    int index = from;
    for (int i = from; i < text.length(); i++) {
      int point = text.charAt(i);
      if (Character.isHighSurrogate((char) point) && i + 1 < text.length()) {
        point = Character.codePointAt(text, i);
        i += Character.charCount(point) - 1;
      }
      if (Character.isBmpCodePoint(point) && Character.isSurrogate((char) point)) {
        return false;
      }
      int count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
      if (index + count > length || decode(start + index, count) != point) {
        return false;
      }
      index += count;
    }
    return index == length;
  }

  /// The code point in the `count` bytes from an address on, or -1 if they are not one of so many.
  private static int decode(long address, int count) {
    int lead = (byte) Raw.BYTE.get(Raw.GLOBAL, address) & 0xff;
    if (count == 1) {
      return lead < 0x80 ? lead : -1;
    }
    int mark = (0xf00 >> count) & 0xff;
    if ((lead & (mark | (0x80 >> count))) != mark) {
      return -1;
    }
    int point = lead & (0x7f >> count);
    for (int i = 1; i < count; i++) {
      int next = (byte) Raw.BYTE.get(Raw.GLOBAL, address + i);
      if ((next & 0xc0) != 0x80) {
        return -1;
      }
      point = (point << 6) | (next & 0x3f);
    }
    return point;
  }

  /// Compares the first `count` bytes of two texts.
  private static int compare(Pso holder, int at, Pso other, int otherAt, int count) {
    long start = start(holder, at);
    long otherStart = start(other, otherAt);
    int index = 0;
    while (index <= count - Long.BYTES
        && (long) Raw.LONG_ANY.get(Raw.GLOBAL, start + index)
            == (long) Raw.LONG_ANY.get(Raw.GLOBAL, otherStart + index)) {
      index += Long.BYTES;
    }
    int difference = 0;
    for (; index < count && difference == 0; index++) {
      int unit = (byte) Raw.BYTE.get(Raw.GLOBAL, start + index) & 0xff;
      difference = unit - ((byte) Raw.BYTE.get(Raw.GLOBAL, otherStart + index) & 0xff);
    }
    Reference.reachabilityFence(holder);
    Reference.reachabilityFence(other);
    return difference;
  }

  private static String decode(byte[] bytes) {
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return text.toString();
    } catch (CharacterCodingException e) {
      CorruptTextException corrupt =
          new CorruptTextException("the text's %d bytes are not UTF-8".formatted(bytes.length));
      corrupt.initCause(e);
      throw corrupt;
    }
  }
}
