// Over 400 lines: one promise after the other, and the faces of six kinds of views.
package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What every typed view of elements promises, on each of them.
class ViewContractTest {
  private static final int COUNT = 100;

  /// One kind of view behind a common face; values are given as longs.
  private interface Elements {
    View view();

    long length();

    long get(long index);

    void set(long index, long value);

    void fill(long value);

    Object detach();

    void copyFrom(long index, Object source, int sourceIndex, int count);

    void copyTo(long index, Object target, int targetIndex, int count);

    Elements slice(long index, long count);
  }

  record Kind(String name, int bytes, Class<?> type, Function<Jbuf, Elements> open) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Kind> kinds() {
    return List.of(
        new Kind("Shorts", 2, short.class, jbuf -> new OfShorts(jbuf.asShorts())),
        new Kind("Chars", 2, char.class, jbuf -> new OfChars(jbuf.asChars())),
        new Kind("Ints", 4, int.class, jbuf -> new OfInts(jbuf.asInts())),
        new Kind("Longs", 8, long.class, jbuf -> new OfLongs(jbuf.asLongs())),
        new Kind("Floats", 4, float.class, jbuf -> new OfFloats(jbuf.asFloats())),
        new Kind("Doubles", 8, double.class, jbuf -> new OfDoubles(jbuf.asDoubles())));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void readsWhatWasWritten(Kind kind) {
    Elements elements = kind.open().apply(Jbuf.allocate((long) COUNT * kind.bytes()));
    assertEquals(COUNT, elements.length());
    for (int i = 0; i < COUNT; i++) {
      elements.set(i, 3L * i);
    }
    for (int i = 0; i < COUNT; i++) {
      assertEquals(3L * i, elements.get(i));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void refusesEveryIndexOutside(Kind kind) {
    Elements elements = kind.open().apply(Jbuf.allocate((long) COUNT * kind.bytes() + 1));
    assertEquals(COUNT, elements.length());
    long[] outside = {-1, COUNT, COUNT + 1L, Integer.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE};
    for (long index : outside) {
      assertThrows(IndexOutOfBoundsException.class, () -> elements.get(index));
      assertThrows(IndexOutOfBoundsException.class, () -> elements.set(index, 1));
    }
    // Indexes whose byte offset overflows to a small number.
    long wrapping = (1L << 62) / kind.bytes() * 4;
    assertThrows(IndexOutOfBoundsException.class, () -> elements.get(wrapping));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void isLittleEndianInMemory(Kind kind) {
    Elements elements = kind.open().apply(Jbuf.allocate((long) COUNT * kind.bytes()));
    boolean floating = kind.type() == float.class || kind.type() == double.class;
    elements.set(1, floating ? 1 : 0x0102);
    ByteBuffer buffer = elements.view().byteBuffer();
    int last = 2 * kind.bytes() - 1;
    assertEquals(floating ? 0x3f : kind.bytes() == 2 ? 1 : 0, buffer.get(last));
    assertEquals(floating ? 0 : 2, buffer.get(kind.bytes()));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void fillsCopiesAndDetaches(Kind kind) {
    Elements elements = kind.open().apply(Jbuf.allocate((long) COUNT * kind.bytes()));
    elements.fill(7);
    elements.set(COUNT - 1, 9);
    Object detached = elements.detach();
    assertEquals(COUNT, Array.getLength(detached));
    assertEquals(7, ((Number) asLong(Array.get(detached, 50))).longValue());
    Object array = Array.newInstance(kind.type(), 10);
    elements.copyTo(COUNT - 3, array, 5, 3);
    assertEquals(0, ((Number) asLong(Array.get(array, 4))).longValue());
    assertEquals(9, ((Number) asLong(Array.get(array, 7))).longValue());
    elements.copyFrom(0, array, 6, 2);
    assertEquals(7, elements.get(0));
    assertEquals(9, elements.get(1));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.copyFrom(COUNT - 1, array, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.copyTo(-1, array, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.copyTo(0, array, 9, 2));
    assertTrue(elements.view().segment().byteSize() == (long) COUNT * kind.bytes());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void slicesHaveTheirOwnBounds(Kind kind) {
    Elements elements = kind.open().apply(Jbuf.allocate((long) COUNT * kind.bytes() + 1));
    for (int i = 0; i < COUNT; i++) {
      elements.set(i, i);
    }
    Elements slice = elements.slice(10, 5).slice(1, 3);
    assertEquals(3, slice.length());
    assertEquals(3L * kind.bytes(), slice.view().capacityBytes());
    assertEquals(11, slice.get(0));
    slice.fill(7);
    assertEquals(10, elements.get(10));
    assertEquals(7, elements.get(11));
    assertEquals(7, elements.get(13));
    assertEquals(14, elements.get(14));
    assertThrows(IndexOutOfBoundsException.class, () -> slice.get(3));
    assertThrows(IndexOutOfBoundsException.class, () -> slice.get(-1));
    assertEquals(0, elements.slice(COUNT, 0).length());
    assertThrows(IndexOutOfBoundsException.class, () -> elements.slice(COUNT, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.slice(-1, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.slice(1, -1));
    assertThrows(IndexOutOfBoundsException.class, () -> elements.slice(1, Long.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void copiesBlocksOfEveryLength(Kind kind) {
    for (int bytes : new int[] {16 << 10, 1 << 20, 3 << 20}) {
      for (int more = -1; more <= 1; more++) {
        int count = bytes / kind.bytes() + more;
        Object array = Array.newInstance(kind.type(), count + 1);
        for (int i = 0; i <= count; i++) {
          setNumber(array, i, i % 1000);
        }
        Elements elements = kind.open().apply(Jbuf.allocate((count + 4L) * kind.bytes()));
        elements.fill(0xfff);
        elements.copyFrom(2, array, 1, count);
        assertEquals(0xfff, elements.get(1));
        assertEquals(0xfff, elements.get(count + 2L));
        for (int i = 0; i < count; i++) {
          assertEquals((i + 1) % 1000, elements.get(i + 2L), "element " + i + " of " + count);
        }
        Object shorter = Array.newInstance(kind.type(), count);
        assertThrows(
            IndexOutOfBoundsException.class, () -> elements.copyFrom(0, shorter, 1, count));
        assertThrows(
            IndexOutOfBoundsException.class, () -> elements.copyFrom(0, shorter, -1, count));
        assertEquals(0xfff, elements.get(0), "a copy that was refused has begun");
      }
    }
  }

  private static void setNumber(Object array, int index, int value) {
    if (array instanceof char[] chars) {
      chars[index] = (char) value;
    } else if (array instanceof short[] shorts) {
      shorts[index] = (short) value;
    } else {
      Array.setInt(array, index, value); // or a wider type
    }
  }

  private static Object asLong(Object boxed) {
    return boxed instanceof Character c ? (long) c : ((Number) boxed).longValue();
  }

  private record OfShorts(Shorts view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, (short) value);
    }

    @Override
    public void fill(long value) {
      view.fill((short) value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (short[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (short[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfShorts(view.slice(index, count));
    }
  }

  private record OfChars(Chars view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, (char) value);
    }

    @Override
    public void fill(long value) {
      view.fill((char) value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (char[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (char[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfChars(view.slice(index, count));
    }
  }

  private record OfInts(Ints view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, (int) value);
    }

    @Override
    public void fill(long value) {
      view.fill((int) value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (int[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (int[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfInts(view.slice(index, count));
    }
  }

  private record OfLongs(Longs view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, value);
    }

    @Override
    public void fill(long value) {
      view.fill(value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (long[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (long[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfLongs(view.slice(index, count));
    }
  }

  private record OfFloats(Floats view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return (long) view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, (float) value);
    }

    @Override
    public void fill(long value) {
      view.fill((float) value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (float[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (float[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfFloats(view.slice(index, count));
    }
  }

  private record OfDoubles(Doubles view) implements Elements {
    @Override
    public long length() {
      return view.length();
    }

    @Override
    public long get(long index) {
      return (long) view.get(index);
    }

    @Override
    public void set(long index, long value) {
      view.set(index, (double) value);
    }

    @Override
    public void fill(long value) {
      view.fill((double) value);
    }

    @Override
    public Object detach() {
      return view.detach();
    }

    @Override
    public void copyFrom(long index, Object source, int sourceIndex, int count) {
      view.copyFrom(index, (double[]) source, sourceIndex, count);
    }

    @Override
    public void copyTo(long index, Object target, int targetIndex, int count) {
      view.copyTo(index, (double[]) target, targetIndex, count);
    }

    @Override
    public Elements slice(long index, long count) {
      return new OfDoubles(view.slice(index, count));
    }
  }
}
