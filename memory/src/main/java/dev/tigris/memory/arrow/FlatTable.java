package dev.tigris.memory.arrow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A table in the format of FlatBuffers ([FlatBuilder] draws it), in bytes that are not trusted:
/// each place is checked before it is read.
///
/// Thread rule: immutable.
final class FlatTable {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private final byte[] bytes;

  /// Names the metadata in messages.
  private final String where;

  private final int at;
  private final int list;
  private final int listBytes;

  /// A vector: where its elements begin, and how many there are.
  record Vector(int start, int count) {
    static final Vector NONE = new Vector(0, 0);
  }

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN)
        .withInvokeExactBehavior();
  }

  private FlatTable(byte[] bytes, String where, int at) throws ArrowException {
    this.bytes = bytes;
    this.where = where;
    this.at = at;
    require(at, Integer.BYTES);
    long known = (long) at - (int) INT.get(bytes, at);
    require(known, 2 * Short.BYTES);
    this.list = (int) known;
    this.listBytes = (short) SHORT.get(bytes, list) & 0xffff;
    require(list, Math.max(listBytes, 2 * Short.BYTES));
  }

  /// @param where names the metadata in messages
  static FlatTable root(byte[] bytes, String where) throws ArrowException {
    if (bytes.length < 2 * Integer.BYTES) {
      throw new ArrowException("%s has %d bytes, too few".formatted(where, bytes.length));
    }
    long root = (int) INT.get(bytes, 0) & 0xffff_ffffL;
    if (root > bytes.length) {
      throw new ArrowException("%s is damaged: it begins behind its end".formatted(where));
    }
    return new FlatTable(bytes, where, (int) root);
  }

  private void require(long place, long size) throws ArrowException {
    if (place < 0 || size < 0 || place > bytes.length - size) {
      throw damaged("it leads to %d bytes at %d of %d".formatted(size, place, bytes.length));
    }
  }

  ArrowException damaged(String why) {
    return new ArrowException("%s is damaged: %s".formatted(where, why));
  }

  /// Returns where a field is, 0 if it is absent.
  private int place(int index, int size) throws ArrowException {
    int entry = (index + 2) * Short.BYTES;
    if (entry + Short.BYTES > listBytes) {
      return 0;
    }
    int distance = (short) SHORT.get(bytes, list + entry) & 0xffff;
    if (distance == 0) {
      return 0;
    }
    require((long) at + distance, size);
    return at + distance;
  }

  int byteField(int index, int absent) throws ArrowException {
    int place = place(index, Byte.BYTES);
    return place == 0 ? absent : bytes[place];
  }

  int shortField(int index, int absent) throws ArrowException {
    int place = place(index, Short.BYTES);
    return place == 0 ? absent : (short) SHORT.get(bytes, place);
  }

  int intField(int index, int absent) throws ArrowException {
    int place = place(index, Integer.BYTES);
    return place == 0 ? absent : (int) INT.get(bytes, place);
  }

  long longField(int index, long absent) throws ArrowException {
    int place = place(index, Long.BYTES);
    return place == 0 ? absent : (long) LONG.get(bytes, place);
  }

  /// Returns where an offset leads that was checked to be in the bytes.
  private int target(int place) throws ArrowException {
    long target = place + ((int) INT.get(bytes, place) & 0xffff_ffffL);
    require(target, Integer.BYTES);
    return (int) target;
  }

  @Nullable FlatTable table(int index) throws ArrowException {
    int place = place(index, Integer.BYTES);
    return place == 0 ? null : new FlatTable(bytes, where, target(place));
  }

  FlatTable required(int index, String what) throws ArrowException {
    FlatTable found = table(index);
    if (found == null) {
      throw damaged("it has no " + what);
    }
    return found;
  }

  Vector vector(int index, int elementBytes) throws ArrowException {
    int place = place(index, Integer.BYTES);
    if (place == 0) {
      return Vector.NONE;
    }
    int start = target(place);
    long count = (int) INT.get(bytes, start) & 0xffff_ffffL;
    require((long) start + Integer.BYTES, count * elementBytes);
    return new Vector(start + Integer.BYTES, (int) count);
  }

  /// A table that a vector of offsets leads to.
  FlatTable tableOf(Vector vector, int index) throws ArrowException {
    return new FlatTable(bytes, where, target(vector.start() + index * Integer.BYTES));
  }

  /// A number of a vector of structs.
  ///
  /// @param offset of the number, from where the elements begin
  long longOf(Vector vector, int offset) {
    return (long) LONG.get(bytes, vector.start() + offset);
  }

  int intOf(Vector vector, int offset) {
    return (int) INT.get(bytes, vector.start() + offset);
  }

  @Nullable String string(int index) throws ArrowException {
    Vector text = vector(index, 1);
    if (text.start() == 0) {
      return null;
    }
    if (!Utf8Check.isUtf8(bytes, text.start(), text.start() + text.count())) {
      throw damaged("a name in it is not UTF-8");
    }
    return new String(bytes, text.start(), text.count(), StandardCharsets.UTF_8);
  }
}
