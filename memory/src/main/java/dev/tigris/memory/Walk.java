package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// Visits everything that can be reached from an offset of a region, once for each shape that it is
/// reached as, and checks it on the way. No byte is believed before it was checked, and each is
/// read once.
///
/// It takes time linear in the region's bytes for a given schema, whatever they are: what overlaps
/// in a way that honest objects do not is refused as soon as all objects of one shape together are
/// larger than the region. There is no recursion.
///
/// Thread rule: one thread.
final class Walk {
  private static final int CHUNK_SHIFT = 13;
  private static final int CHUNK_WORDS = (1 << CHUNK_SHIFT) / Long.SIZE;

  private final Schema schema;
  private final Region region;
  private final long base;
  private final long limit;
  private final Plan[] plans;

  /// By shape and chunk, one bit for each multiple of eight where something of the shape begins.
  private final long[][][] starts;

  /// By shape, the bytes of all that was visited.
  private final long[] visitedBytes;

  private long[] offsets = new long[256];
  private int[] shapes = new int[256];
  private int waiting;

  private byte[] text = new byte[256];
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private CharBuffer decoded = CharBuffer.allocate(256);

  /// What there is to check in a struct, that of objects in place included: flat, in parallel
  /// arrays, so that checking an object is one loop.
  private static final class Plan {
    final int[] offsets;
    final Check[] checks;

    Plan(List<Integer> offsets, List<Check> checks) {
      this.offsets = offsets.stream().mapToInt(Integer::intValue).toArray();
      this.checks = checks.toArray(Check[]::new);
    }
  }

  /// What there is to check in a field.
  private static final class Check {
    enum Kind {
      REFERENCE,
      TEXT,
      CONSTANT
    }

    final Kind kind;

    /// The shape of what is referred to, or the capacity of a text.
    final int argument;

    /// Of an enum's constants, sorted.
    final int[] codes;

    final String where;

    Check(Kind kind, int argument, int[] codes, String where) {
      this.kind = kind;
      this.argument = argument;
      this.codes = codes;
      this.where = where;
    }
  }

  /// @param limit the offset behind the last byte that something may lie in
  Walk(Schema schema, Region region, long limit) {
    this.schema = schema;
    this.region = region;
    this.base = region.address;
    this.limit = limit;
    int count = schema.shapes().size();
    this.plans = new Plan[count];
    this.starts = new long[count][][];
    this.visitedBytes = new long[count];
    for (int i = 0; i < count; i++) {
      if (schema.shape(i) instanceof Shape.Struct struct) {
        List<Integer> at = new ArrayList<>();
        List<Check> checks = new ArrayList<>();
        plan(struct, 0, at, checks);
        plans[i] = new Plan(at, checks);
      }
    }
  }

  private void plan(Shape.Struct struct, int at, List<Integer> offsets, List<Check> checks) {
    for (Shape.Member member : struct.members()) {
      String where = struct.name() + "." + member.name();
      Check check =
          switch (member.content()) {
            case Shape.Content.Reference(int shape) ->
                new Check(Check.Kind.REFERENCE, shape, new int[0], where);
            case Shape.Content.Text(int capacityBytes) ->
                new Check(Check.Kind.TEXT, capacityBytes, new int[0], where);
            case Shape.Content.Constant(String _, var codes) when codes != null ->
                new Check(
                    Check.Kind.CONSTANT,
                    0,
                    codes.stream().mapToInt(Integer::intValue).sorted().toArray(),
                    where);
            case Shape.Content.Nested(int inner, int _) -> {
              plan(schema.struct(inner), at + member.offset(), offsets, checks);
              yield null;
            }
            case Shape.Content.Constant _, Shape.Content.Value _, Shape.Content.Array _ -> null;
          };
      if (check != null) {
        offsets.add(at + member.offset());
        checks.add(check);
      }
    }
  }

  /// Visits what lies at an offset as the schema's root, and all that it leads to; nothing if the
  /// offset is 0.
  ///
  /// @throws CorruptContainerException at the first fault
  void from(long offset) {
    enter(offset, schema.root(), "the root", -1);
    while (waiting > 0) {
      waiting--;
      visit(offsets[waiting], shapes[waiting]);
    }
  }

  /// Takes an offset where something of a shape begins.
  interface Visitor {
    void start(long offset, int shape);
  }

  /// Everything that was found, by rising offset; what is reached as two shapes, twice.
  void forEachStart(Visitor visitor) {
    int chunks = (int) (limit >>> (3 + CHUNK_SHIFT)) + 1;
    int[] found = IntStream.range(0, starts.length).filter(i -> starts[i] != null).toArray();
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int index = 0; index < CHUNK_WORDS; index++) {
        long union = 0;
        for (int shape : found) {
          union |= bits(shape, chunk, index);
        }
        for (; union != 0; union &= union - 1) {
          int bit = Long.numberOfTrailingZeros(union);
          long word = ((long) chunk << CHUNK_SHIFT) + index * (long) Long.SIZE + bit;
          for (int shape : found) {
            if ((bits(shape, chunk, index) >>> bit & 1) != 0) {
              visitor.start(word << 3, shape);
            }
          }
        }
      }
    }
  }

  private long bits(int shape, int chunk, int index) {
    long[][] chunks = starts[shape];
    return chunks == null || chunks[chunk] == null ? 0 : chunks[chunk][index];
  }

  /// Follows a reference: what it leads to is checked for its place, and waits to be visited.
  ///
  /// @param holder the offset of the object that holds it
  private void enter(long offset, int shape, String where, long holder) {
    if (offset == 0) {
      return;
    }
    int sizeBytes = schema.shape(shape).sizeBytes();
    if (offset < region.firstOffset() || offset > limit - sizeBytes || (offset & 7) != 0) {
      throw corrupt(
          "holds %d, where no %s of %d bytes can be within %d"
              .formatted(offset, schema.name(shape), sizeBytes, limit),
          where,
          holder);
    }
    if (begins(shape, offset)) {
      charge(shape, sizeBytes, offset);
      if (waiting == offsets.length) {
        offsets = Arrays.copyOf(offsets, 2 * waiting);
        shapes = Arrays.copyOf(shapes, 2 * waiting);
      }
      offsets[waiting] = offset;
      shapes[waiting++] = shape;
    }
  }

  /// Notes that something begins here; false if that was known.
  private boolean begins(int shape, long offset) {
    long[][] chunks = starts[shape];
    if (chunks == null) {
      chunks = new long[(int) (limit >>> (3 + CHUNK_SHIFT)) + 1][];
      starts[shape] = chunks;
    }
    long word = offset >>> 3;
    int chunk = (int) (word >>> CHUNK_SHIFT);
    long[] bits = chunks[chunk];
    if (bits == null) {
      bits = new long[CHUNK_WORDS];
      chunks[chunk] = bits;
    }
    int index = (int) (word >>> 6) & (CHUNK_WORDS - 1);
    long bit = 1L << word;
    boolean isNew = (bits[index] & bit) == 0;
    bits[index] |= bit;
    return isNew;
  }

  private void charge(int shape, long bytes, long offset) {
    visitedBytes[shape] += bytes;
    if (visitedBytes[shape] > limit) {
      throw corrupt("overlaps others", schema.name(shape), offset);
    }
  }

  private void visit(long offset, int shape) {
    switch (schema.shape(shape)) {
      case Shape.Struct _ -> check(plans[shape], offset);
      case Shape.Elements _ -> visitElements(offset, shape);
      case Shape.References(int element) -> {
        long size = size(offset, shape, Long.BYTES);
        long at = offset + PsoCollection.ELEMENTS_AT;
        for (long i = 0; i < size; i++) {
          enter(load(at + i * Long.BYTES), element, "an element", offset);
        }
      }
      case Shape.Table(int element) -> {
        int strideBytes = schema.shape(element).sizeBytes();
        long size = size(offset, shape, strideBytes);
        Plan plan = plans[element];
        if (plan.offsets.length > 0) {
          long at = offset + PsoCollection.ELEMENTS_AT;
          for (long i = 0; i < size; i++) {
            check(plan, at + i * strideBytes);
          }
        }
      }
    }
  }

  /// The number of elements of a collection, whose capacity was checked.
  private long size(long offset, int shape, int strideBytes) {
    long size = load(offset);
    long capacity = load(offset + Long.BYTES);
    long room = (limit - offset - PsoCollection.ELEMENTS_AT) / strideBytes;
    if (capacity < 0 || capacity > room || size < 0 || size > capacity) {
      throw corrupt(
          "has %d elements and room for %d, where there can be %d".formatted(size, capacity, room),
          schema.name(shape),
          offset);
    }
    charge(shape, capacity * strideBytes, offset);
    return size;
  }

  private void visitElements(long offset, int shape) {
    byte letter = (byte) Raw.BYTE.get(Raw.GLOBAL, address(offset));
    Primitive element = PsoArray.elementOf(letter);
    long length = load(offset + Long.BYTES);
    long bytes = limit - offset - PsoCollection.ELEMENTS_AT;
    if (element == null || length < 0 || length > bytes / element.sizeBytes()) {
      throw corrupt(
          "has %d elements of the type %d, where there are %d bytes"
              .formatted(length, letter, bytes),
          schema.name(shape),
          offset);
    }
    charge(shape, length * element.sizeBytes(), offset);
  }

  private void check(Plan plan, long offset) {
    for (int i = 0; i < plan.offsets.length; i++) {
      long at = offset + plan.offsets[i];
      Check check = plan.checks[i];
      switch (check.kind) {
        case REFERENCE -> enter(load(at), check.argument, check.where, offset);
        case TEXT -> checkText(at, check, offset);
        case CONSTANT -> {
          int code = loadInt(at);
          if (code != 0 && Arrays.binarySearch(check.codes, code) < 0) {
            throw corrupt(
                "holds %08x, the code of no constant".formatted(code), check.where, offset);
          }
        }
      }
    }
  }

  private void checkText(long at, Check check, long offset) {
    int length = loadInt(at);
    if (length < 0 || length > check.argument) {
      throw corrupt(
          "has %d bytes where there is room for %d".formatted(length, check.argument),
          check.where,
          offset);
    }
    long start = at + Integer.BYTES;
    long end = start + length;
    long position = start;
    while (position <= end - Long.BYTES && (loadAny(position) & 0x8080_8080_8080_8080L) == 0) {
      position += Long.BYTES;
    }
    while (position < end && (byte) Raw.BYTE.get(Raw.GLOBAL, anyAddress(position)) >= 0) {
      position++;
    }
    if (position < end && !isUtf8(start, length)) {
      throw corrupt("is no UTF-8", check.where, offset);
    }
    Reference.reachabilityFence(region);
  }

  private boolean isUtf8(long start, int length) {
    if (length > text.length) {
      text = new byte[Math.max(length, 2 * text.length)];
      decoded = CharBuffer.allocate(text.length);
    }
    MemorySegment bytes = Raw.range(anyAddress(start), length);
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, text, 0, length);
    decoder.reset();
    return !decoder.decode(ByteBuffer.wrap(text, 0, length), decoded.clear(), true).isError();
  }

  private long address(long offset) {
    return (base & Raw.ADDRESS_MASK) + offset;
  }

  private long anyAddress(long offset) {
    return (base + offset) & Raw.ANY_ADDRESS_MASK;
  }

  private long load(long offset) {
    long value = (long) Raw.LONG.get(Raw.GLOBAL, address(offset));
    Reference.reachabilityFence(region);
    return value;
  }

  private int loadInt(long offset) {
    int value = (int) Raw.INT.get(Raw.GLOBAL, address(offset));
    Reference.reachabilityFence(region);
    return value;
  }

  private long loadAny(long offset) {
    return (long) Raw.LONG_ANY.get(Raw.GLOBAL, anyAddress(offset));
  }

  private static CorruptContainerException corrupt(String what, String where, long holder) {
    return new CorruptContainerException(
        holder < 0
            ? where + " " + what
            : "%s of what lies at %d %s".formatted(where, holder, what));
  }
}
