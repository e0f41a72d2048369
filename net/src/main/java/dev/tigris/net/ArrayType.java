package dev.tigris.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteOrder;

/// A kind of array that an [ArrayInterface] carries: one for each primitive type. Elements are
/// little-endian in messages; a boolean is a byte, 0 or 1.
///
/// @param <A> the array
public final class ArrayType<A> {
  /// `boolean[]`, which travels as bytes.
  public static final ArrayType<boolean[]> BOOLEANS =
      new ArrayType<>(boolean[].class, ValueLayout.JAVA_BYTE, DataType.BYTES);

  /// `byte[]`.
  public static final ArrayType<byte[]> BYTES =
      new ArrayType<>(byte[].class, ValueLayout.JAVA_BYTE, DataType.BYTES);

  /// `short[]`.
  public static final ArrayType<short[]> SHORTS =
      new ArrayType<>(short[].class, ValueLayout.JAVA_SHORT_UNALIGNED, DataType.SHORTS);

  /// `char[]`.
  public static final ArrayType<char[]> CHARS =
      new ArrayType<>(char[].class, ValueLayout.JAVA_CHAR_UNALIGNED, DataType.CHARS);

  /// `int[]`.
  public static final ArrayType<int[]> INTS =
      new ArrayType<>(int[].class, ValueLayout.JAVA_INT_UNALIGNED, DataType.INTS);

  /// `long[]`.
  public static final ArrayType<long[]> LONGS =
      new ArrayType<>(long[].class, ValueLayout.JAVA_LONG_UNALIGNED, DataType.LONGS);

  /// `float[]`.
  public static final ArrayType<float[]> FLOATS =
      new ArrayType<>(float[].class, ValueLayout.JAVA_FLOAT_UNALIGNED, DataType.FLOATS);

  /// `double[]`.
  public static final ArrayType<double[]> DOUBLES =
      new ArrayType<>(double[].class, ValueLayout.JAVA_DOUBLE_UNALIGNED, DataType.DOUBLES);

  private final Class<A> arrayClass;
  private final ValueLayout element;
  private final DataType type;

  private ArrayType(Class<A> arrayClass, ValueLayout element, DataType type) {
    this.arrayClass = arrayClass;
    this.element = element.withOrder(ByteOrder.LITTLE_ENDIAN);
    this.type = type;
  }

  /// The type of a message of such an array.
  public DataType dataType() {
    return type;
  }

  /// The size of an element in a message.
  public int elementBytes() {
    return (int) element.byteSize();
  }

  int length(A array) {
    return Array.getLength(array);
  }

  /// The array as memory, in which its elements are little-endian.
  ///
  /// @throws UnsupportedOperationException if they are not, here
  MemorySegment segment(A array) {
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException("elements are big-endian here: copy the array");
    }
    return switch (array) {
      case byte[] bytes -> MemorySegment.ofArray(bytes);
      case short[] shorts -> MemorySegment.ofArray(shorts);
      case char[] chars -> MemorySegment.ofArray(chars);
      case int[] ints -> MemorySegment.ofArray(ints);
      case long[] longs -> MemorySegment.ofArray(longs);
      case float[] floats -> MemorySegment.ofArray(floats);
      case double[] doubles -> MemorySegment.ofArray(doubles);
      default -> throw new UnsupportedOperationException(this + " travel as bytes: copy them");
    };
  }

  A make(int length) {
    return arrayClass.cast(Array.newInstance(arrayClass.getComponentType(), length));
  }

  /// Copies elements to the beginning of a segment.
  void write(A array, int from, int count, MemorySegment to) {
    if (array instanceof boolean[] booleans) {
      for (int i = 0; i < count; i++) {
        to.set(ValueLayout.JAVA_BYTE, i, (byte) (booleans[from + i] ? 1 : 0));
      }
    } else {
      MemorySegment.copy(array, from, to, element, 0, count);
    }
  }

  /// Copies elements from the beginning of a segment.
  void read(MemorySegment from, A array, int to, int count) {
    if (array instanceof boolean[] booleans) {
      for (int i = 0; i < count; i++) {
        booleans[to + i] = from.get(ValueLayout.JAVA_BYTE, i) != 0;
      }
    } else {
      MemorySegment.copy(from, element, 0, array, to, count);
    }
  }

  @Override
  public String toString() {
    return arrayClass.getSimpleName();
  }
}
