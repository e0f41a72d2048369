package dev.tigris.memory.schema;

import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Visits everything that can be reached from an offset of a region, once for each shape that it is
/// reached as, and checks it on the way. No byte is believed before it was checked, and no number
/// is read twice.
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
  private final Container container;
  private final long base;
  private final long limit;

  /// By shape, what there is to check in a struct; null for collections.
  private final @Nullable Checks[] checks;

  /// By shape, the bytes of an object, or of a collection's part in front.
  private final int[] sizes;

  /// By shape and chunk, one bit for each multiple of eight where something of the shape begins.
  private final long[][][] starts;

  /// By shape, the bytes of all that was visited.
  private final long[] visitedBytes;

  /// What was found and not yet visited, and as which shape.
  private long[] offsets = new long[256];
  private int[] shapes = new int[256];
  private int waiting;

  private byte[] text = new byte[256];
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private CharBuffer decoded = CharBuffer.allocate(256);

  /// @param limit the offset behind the last byte that something may lie in
  Walk(Schema schema, Container container, long limit) {
    this.schema = schema;
    this.container = container;
    this.base = ObjectAccess.OBJECTS.address(container);
    this.limit = limit;
    int count = schema.shapes().size();
    this.checks = new Checks[count];
    this.sizes = new int[count];
    this.starts = new long[count][][];
    this.visitedBytes = new long[count];
    for (int i = 0; i < count; i++) {
      Shape shape = schema.shape(i);
      sizes[i] = shape.sizeBytes();
      if (shape instanceof Shape.Struct struct) {
        checks[i] = new Checks(schema, struct);
      }
    }
  }

  /// Visits what lies at an offset as the schema's root, and all that it leads to; nothing if the
  /// offset is 0.
  ///
  /// @throws CorruptContainerException at the first fault
  void from(long offset) {
    try {
      if (isNew(offset, schema.root(), "the root", -1)) {
        await(offset, schema.root());
      }
      while (waiting > 0) {
        waiting--;
        visit(offsets[waiting], shapes[waiting]);
      }
    } catch (InternalError e) {
      // What HotSpot makes of a page that is not there. It does not say of what.
      CorruptContainerException cut =
          new CorruptContainerException(
              "the file that the container lies in was cut short while it was mapped");
      cut.initCause(e);
      throw cut;
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

  /// Whether a reference leads to something that was not found before, whose place is checked here.
  ///
  /// @param holder the offset of the object that holds it
  private boolean isNew(long offset, int shape, String where, long holder) {
    if (offset == 0) {
      return false;
    }
    int sizeBytes = sizes[shape];
    if (offset < Container.HEADER_BYTES || offset > limit - sizeBytes || (offset & 7) != 0) {
      throw misplaced(offset, shape, where, holder);
    }
    if (!begins(shape, offset)) {
      return false;
    }
    charge(shape, sizeBytes, offset);
    return true;
  }

  private CorruptContainerException misplaced(long offset, int shape, String where, long holder) {
    return corrupt(
        "holds %d, where no %s of %d bytes can be within %d"
            .formatted(offset, schema.name(shape), sizes[shape], limit),
        where,
        holder);
  }

  /// Has something visited later: whatever refers to what, there is no recursion.
  private void await(long offset, int shape) {
    if (waiting == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * waiting);
      shapes = Arrays.copyOf(shapes, 2 * waiting);
    }
    offsets[waiting] = offset;
    shapes[waiting++] = shape;
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
    Checks known = checks[shape];
    if (known != null) {
      check(known, offset);
      return;
    }
    switch (schema.shape(shape)) {
      case Shape.Elements _ -> visitElements(offset, shape);
      case Shape.References(int element) -> visitReferences(offset, shape, element);
      case Shape.Table(int element) -> visitTable(offset, shape, element);
      case Shape.Struct _ -> throw new IllegalStateException("a struct without checks");
    }
  }

  /// Objects are checked as they are found: those of a list often lie in its order, and reading
  /// forwards is what memory is good at.
  private void visitReferences(long offset, int shape, int element) {
    long size = size(offset, shape, Long.BYTES);
    long start = offset + ObjectAccess.ELEMENTS_AT;
    Checks each = checks[element];
    for (long i = 0; i < size; i++) {
      long found = load(start + i * Long.BYTES);
      if (isNew(found, element, "an element", offset)) {
        if (each == null) {
          await(found, element);
        } else {
          check(each, found);
        }
      }
    }
  }

  private void visitTable(long offset, int shape, int element) {
    int strideBytes = sizes[element];
    long size = size(offset, shape, strideBytes);
    long start = offset + ObjectAccess.ELEMENTS_AT;
    Checks each = Objects.requireNonNull(checks[element]);
    if (!each.isEmpty()) {
      for (long i = 0; i < size; i++) {
        check(each, start + i * strideBytes);
      }
    }
  }

  /// The number of elements of a collection, whose capacity was checked.
  private long size(long offset, int shape, int strideBytes) {
    long size = load(offset);
    long capacity = load(offset + Long.BYTES);
    long room = (limit - offset - ObjectAccess.ELEMENTS_AT) / strideBytes;
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
    byte letter = (byte) Raw.BYTE.get(Raw.GLOBAL, anyAddress(offset));
    Primitive element = ObjectAccess.OBJECTS.elementOf(letter);
    long length = load(offset + Long.BYTES);
    long bytes = limit - offset - ObjectAccess.ELEMENTS_AT;
    if (element == null || length < 0 || length > bytes / element.sizeBytes()) {
      throw corrupt(
          "has %d elements of the type %d, where there are %d bytes"
              .formatted(length, letter, bytes),
          schema.name(shape),
          offset);
    }
    charge(shape, length * element.sizeBytes(), offset);
  }

  private void check(Checks known, long offset) {
    for (Checks.Field constant : known.constants) {
      int code = loadInt(offset + constant.at);
      if (code != 0 && Arrays.binarySearch(constant.codes, code) < 0) {
        throw corrupt(
            "holds %08x, the code of no constant of its enum: it was written with another version of that, or the bytes are damaged"
                .formatted(code),
            constant.where,
            offset);
      }
    }
    for (Checks.Field text : known.texts) {
      checkText(text, offset);
    }
    for (Checks.Field reference : known.references) {
      long found = load(offset + reference.at);
      if (isNew(found, reference.argument, reference.where, offset)) {
        await(found, reference.argument);
      }
    }
  }

  private void checkText(Checks.Field check, long offset) {
    long at = offset + check.at;
    int length = loadInt(at);
    if (length < 0 || length > check.argument) {
      throw corrupt(
          "has %d bytes where there is room for %d".formatted(length, check.argument),
          check.where,
          offset);
    }
    long start = at + Integer.BYTES;
    if (!isAscii(start, length) && !isUtf8(start, length)) {
      throw corrupt("is no UTF-8", check.where, offset);
    }
  }

  /// Looks at 32 bytes at once, and again at some of them at the end rather than at each of the
  /// last ones: how long a text is cannot be foreseen, and nor could the ends of more loops.
  private boolean isAscii(long start, int length) {
    long end = start + length;
    long bits = 0;
    if (length >= 4 * Long.BYTES) {
      for (long at = start; at < end - 4 * Long.BYTES; at += 4 * Long.BYTES) {
        bits |= loadTwo(at) | loadTwo(at + 2 * Long.BYTES);
      }
      bits |= loadTwo(end - 4 * Long.BYTES) | loadTwo(end - 2 * Long.BYTES);
    } else if (length >= 2 * Long.BYTES) {
      bits = loadTwo(start) | loadTwo(end - 2 * Long.BYTES);
    } else if (length >= Long.BYTES) {
      bits = loadAny(start) | loadAny(end - Long.BYTES);
    } else {
      for (long at = start; at < end; at++) {
        bits |= (byte) Raw.BYTE.get(Raw.GLOBAL, anyAddress(at));
      }
    }
    Reference.reachabilityFence(container);
    return (bits & 0x8080_8080_8080_8080L) == 0;
  }

  private boolean isUtf8(long start, int length) {
    if (length > text.length) {
      text = new byte[Math.max(length, 2 * text.length)];
      decoded = CharBuffer.allocate(text.length);
    }
    MemorySegment bytes = Raw.range(anyAddress(start), length);
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, text, 0, length);
    Reference.reachabilityFence(container);
    decoder.reset();
    return !decoder.decode(ByteBuffer.wrap(text, 0, length), decoded.clear(), true).isError();
  }

  private long address(long offset) {
    return (base + offset) & Raw.ADDRESS_MASK;
  }

  private long anyAddress(long offset) {
    return (base + offset) & Raw.ANY_ADDRESS_MASK;
  }

  private long load(long offset) {
    long value = (long) Raw.LONG.get(Raw.GLOBAL, address(offset));
    Reference.reachabilityFence(container);
    return value;
  }

  private int loadInt(long offset) {
    int value = (int) Raw.INT.get(Raw.GLOBAL, (base + offset) & Raw.INT_ADDRESS_MASK);
    Reference.reachabilityFence(container);
    return value;
  }

  private long loadAny(long offset) {
    return (long) Raw.LONG_ANY.get(Raw.GLOBAL, anyAddress(offset));
  }

  /// What is set in either of two words.
  private long loadTwo(long offset) {
    return loadAny(offset) | loadAny(offset + Long.BYTES);
  }

  private static CorruptContainerException corrupt(String what, String where, long holder) {
    return new CorruptContainerException(
        holder < 0
            ? where + " " + what
            : "%s of what lies at %d %s".formatted(where, holder, what));
  }
}
