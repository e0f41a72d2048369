// Over 400 lines: one walk, in which each check stands before the reads that need it.
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A walk over everything that can be reached from an offset of a container, which checks it on the
/// way. It visits each object once for each shape that it is reached as. It uses no byte before it
/// has checked it, and reads no number twice.
///
/// For a given schema it takes time linear in the container's bytes, whatever these are: objects of
/// one shape that together are larger than the container overlap, and are refused at once. There is
/// no recursion.
///
/// Thread rule: one thread.
final class Walk {
  private static final int CHUNK_SHIFT = 13;
  private static final int CHUNK_WORDS = (1 << CHUNK_SHIFT) / Long.SIZE;

  private final Schema schema;
  private final Container container;
  private final long base;
  private final long limit;

  /// By shape, the checks of a struct; null for arrays and collections.
  private final @Nullable Checks[] checks;

  /// By shape, the bytes of an object, or of the part before a collection's elements.
  private final int[] sizes;

  /// By shape and chunk, one bit for each multiple of eight, set where something of the shape
  /// begins. Behind all shapes come the segments of tables, by the shape of their table.
  private final long[][][] starts;

  /// By their offset, the tables that have grown.
  private final Map<Long, GrownTable> grown = new HashMap<>();

  /// By shape, the bytes of all visited objects.
  private final long[] visitedBytes;

  /// The offsets and shapes that were found and are not visited yet.
  private long[] offsets = new long[256];
  private int[] shapes = new int[256];
  private int waiting;

  private byte[] text = new byte[256];
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private CharBuffer decoded = CharBuffer.allocate(256);

  /// @param limit the offset after the last byte that may be used
  Walk(Schema schema, Container container, long limit) {
    this.schema = schema;
    this.container = container;
    this.base = ObjectAccess.OBJECTS.address(container);
    this.limit = limit;
    int count = schema.shapes().size();
    this.checks = new Checks[count];
    this.sizes = new int[count];
    this.starts = new long[2 * count][][];
    this.visitedBytes = new long[count];
    for (int i = 0; i < count; i++) {
      Shape shape = schema.shape(i);
      sizes[i] = shape.sizeBytes();
      if (shape instanceof Shape.Struct struct) {
        checks[i] = new Checks(schema, struct);
      }
    }
  }

  /// Visits the schema's root at an offset and everything that it leads to. An offset of 0 leads to
  /// nothing.
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
      // HotSpot throws this for a missing page of a mapped file, and does not name the file.
      CorruptContainerException missing =
          new CorruptContainerException(ObjectAccess.OBJECTS.explainFault(container));
      missing.initCause(e);
      throw missing;
    }
  }

  /// Receives an offset where something of a shape begins. Segments of tables have the numbers
  /// behind all shapes, as if those were listed twice.
  interface Visitor {
    void start(long offset, int shape);
  }

  /// Reports everything that was found, by rising offset. Something that was reached as two shapes
  /// is reported twice.
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

  /// Checks the place that a reference leads to, and returns whether it is new.
  ///
  /// @param holder the offset of the object that holds the reference
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
        "holds the offset %d, at which no %s of %d bytes fits the container's %d bytes in use"
            .formatted(offset, schema.name(shape), sizes[shape], limit),
        where,
        holder);
  }

  /// Queues something to be visited later, which avoids recursion.
  private void await(long offset, int shape) {
    if (waiting == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * waiting);
      shapes = Arrays.copyOf(shapes, 2 * waiting);
    }
    offsets[waiting] = offset;
    shapes[waiting++] = shape;
  }

  /// Notes that something begins here, and returns whether that is new.
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

  /// Checks the elements of a list as they are found. They often lie in its order, and memory is
  /// read fastest forwards.
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
    long capacity = load(offset + Long.BYTES);
    if (capacity < 0) {
      visitGrown(offset, shape, element, -capacity);
      return;
    }
    long size = size(offset, shape, strideBytes);
    checkElements(element, offset + ObjectAccess.ELEMENTS_AT, size);
  }

  private void checkElements(int element, long start, long count) {
    Checks each = Objects.requireNonNull(checks[element]);
    if (!each.isEmpty()) {
      for (long i = 0; i < count; i++) {
        check(each, start + i * sizes[element]);
      }
    }
  }

  /// Visits a table with segments. Their first indexes rise, so there can be no circle.
  private void visitGrown(long offset, int shape, int element, long firstSegment) {
    long size = load(offset);
    List<GrownTable.Segment> segments = new ArrayList<>();
    long first = -1;
    long room = -1;
    for (long at = firstSegment; at != 0; at = load(at + 2 * Long.BYTES)) {
      if (at < Container.HEADER_BYTES
          || at > limit - ObjectAccess.SEGMENT_ELEMENTS_AT
          || (at & 7) != 0
          || !begins(schema.shapes().size() + shape, at)) {
        throw corrupt(
            "has a part at %d, where none can be".formatted(at), schema.name(shape), offset);
      }
      long index = load(at);
      long capacity = load(at + Long.BYTES);
      long fits = (limit - at - ObjectAccess.SEGMENT_ELEMENTS_AT) / sizes[element];
      boolean follows = room < 0 ? index >= 0 && index <= limit : index == room;
      if (!follows || capacity < 1 || capacity > fits) {
        throw corrupt(
            "has a part of %d elements from index %d at %d, which cannot be"
                .formatted(capacity, index, at),
            schema.name(shape),
            offset);
      }
      charge(shape, ObjectAccess.SEGMENT_ELEMENTS_AT + capacity * sizes[element], offset);
      first = room < 0 ? index : first;
      room = index + capacity;
      segments.add(new GrownTable.Segment(at, index, capacity));
    }
    long fits = (limit - offset - ObjectAccess.ELEMENTS_AT) / sizes[element];
    if (first > fits || size < 0 || size > room) {
      throw corrupt(
          "has %d elements, %d of them in its first part, and room for %d"
              .formatted(size, first, room),
          schema.name(shape),
          offset);
    }
    charge(shape, first * sizes[element], offset);
    GrownTable table = new GrownTable(offset, shape, first, room, segments);
    if (grown.put(offset, table) != null) {
      throw corrupt("overlaps others", schema.name(shape), offset);
    }
    checkElements(element, offset + ObjectAccess.ELEMENTS_AT, Math.min(size, first));
    for (GrownTable.Segment segment : segments) {
      long start = segment.offset() + ObjectAccess.SEGMENT_ELEMENTS_AT;
      checkElements(element, start, segment.count(size));
    }
  }

  /// Returns the tables that have grown, which were all checked, by their offsets.
  Map<Long, GrownTable> grown() {
    return grown;
  }

  /// Checks the capacity of a collection, and returns the number of its elements.
  private long size(long offset, int shape, int strideBytes) {
    long size = load(offset);
    long capacity = load(offset + Long.BYTES);
    long room = (limit - offset - ObjectAccess.ELEMENTS_AT) / strideBytes;
    if (capacity < 0 || capacity > room || size < 0 || size > capacity) {
      throw corrupt(
          "has %d elements and room for %d, and the container has room for %d"
              .formatted(size, capacity, room),
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
          "has %d elements of the type %d, and the container has room for %d bytes"
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
            "holds %08x, which is not the code of a constant of its enum: a program with another version of the enum wrote it, or the bytes are damaged"
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
          "has %d bytes, and room for %d".formatted(length, check.argument), check.where, offset);
    }
    long start = at + Integer.BYTES;
    if (!isAscii(start, length) && !isUtf8(start, length)) {
      throw corrupt("is not UTF-8", check.where, offset);
    }
  }

  /// Tests 32 bytes at a time. At the end it tests some bytes twice rather than the last ones one
  /// by one: processors cannot predict the length of a text, nor the ends of more loops.
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

  /// Returns the bits that are set in either of two words.
  private long loadTwo(long offset) {
    return loadAny(offset) | loadAny(offset + Long.BYTES);
  }

  private static CorruptContainerException corrupt(String what, String where, long holder) {
    return new CorruptContainerException(
        holder < 0
            ? where + " " + what
            : "%s of the object at %d %s".formatted(where, holder, what));
  }
}
