// Over 400 lines: where each thing goes follows from what is where, in one set of arrays.
package dev.tigris.memory.schema;

import dev.tigris.memory.Container;
import dev.tigris.memory.ContainerFullException;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A conversion of one container's objects to another [Schema], prepared: the source has been read
/// and checked, and nothing has been written.
///
/// ```java
/// Conversion conversion = Conversion.of(source, schema);
/// Container target = Jbuf.allocate(conversion.bytes()).asContainer();
/// conversion.into(target);
/// ```
///
/// Objects that the root leads to are copied in the order in which they lie. Objects that nothing
/// refers to are left out.
///
/// Thread rule: one thread at a time, and no thread or process writes to the source from the
/// preparation until the last copy is made.
public final class Conversion {
  private final Container source;
  private final long sourceAddress;
  private final SchemaChange change;
  private final Schema old;

  /// The offset of the object that the copies begin with; 0 if there is none.
  private final long root;

  /// The objects that are copied as a whole, by rising offset, in parallel arrays. An object inside
  /// one of them, such as an element of a table, moves along with it.
  private long[] offsets = new long[64];

  private int[] shapes = new int[64];
  private long[] sizes = new long[64];
  private long[] places = new long[64];
  private int count;
  private long totalBytes;

  /// The container that is written to, its first byte's address, and the offset in it of the first
  /// copy.
  private record Target(Container container, long address, long base) {}

  /// By their offsets, the tables that have grown, and their segments. A converted table lies in
  /// one piece.
  private final Map<Long, GrownTable> grown;

  private final Map<Long, Part> parts = new HashMap<>();

  /// A segment and its table.
  private record Part(GrownTable table, GrownTable.Segment segment) {}

  private Conversion(Container source, long root, Schema from, Schema to) {
    this.source = source;
    this.root = root;
    this.change = new SchemaChange(from, to);
    this.old = from;
    if (!change.isPossible()) {
      throw new SchemaException(change.explain());
    }
    Walk walk = new Walk(change.kept(), source, source.usedBytes());
    this.sourceAddress = ObjectAccess.OBJECTS.address(source);
    walk.from(root);
    this.grown = walk.grown();
    for (GrownTable table : grown.values()) {
      for (GrownTable.Segment segment : table.segments()) {
        parts.put(segment.offset(), new Part(table, segment));
      }
    }
    walk.forEachStart(this::include);
    placeSegments();
    Reference.reachabilityFence(source);
  }

  /// Prepares a conversion from the schema that the source keeps.
  ///
  /// @throws SchemaException if the source keeps no schema, or if fields have changed in a way that
  ///     cannot be converted, naming them
  /// @throws CorruptContainerException if the source is damaged
  public static Conversion of(Container source, Schema to) {
    Schema own = source.schema();
    if (own == null) {
      throw new SchemaException(
          "the container keeps no schema: tell it the one of its objects with declare(schema)");
    }
    return new Conversion(source, ObjectAccess.OBJECTS.rootOffset(source), own, to);
  }

  /// Prepares a conversion from a schema that the caller knows, of a container that may keep none.
  ///
  /// @throws SchemaException if fields have changed in a way that cannot be converted, naming them
  /// @throws CorruptContainerException if the source is damaged, or holds other objects than `from`
  ///     says
  public static Conversion of(Container source, Schema from, Schema to) {
    return new Conversion(source, ObjectAccess.OBJECTS.rootOffset(source), from, to);
  }

  /// Prepares a copy of one object and of all that it leads to, whatever else its container holds.
  /// The object becomes the root of the copy. References to objects of other containers are null
  /// there.
  ///
  /// @param from the schema of containers whose root is such an object
  /// @throws IllegalArgumentException if the object lives in a raw container
  /// @throws SchemaException if fields differ in a way that cannot be converted, naming them
  /// @throws CorruptContainerException if the object, or one that it leads to, is damaged
  public static Conversion of(Pso object, Schema from, Schema to) {
    Container source = ObjectAccess.OBJECTS.container(object);
    if (source == null) {
      throw new IllegalArgumentException(
          "an object of a raw container has no schema there: copy its fields to a new object");
    }
    return new Conversion(source, ObjectAccess.OBJECTS.offset(object), from, to);
  }

  /// Says which fields are new, gone, moved or wider, for messages.
  public String explain() {
    return change.explain();
  }

  /// Returns what the source has and the target will not: fields without a counterpart, and classes
  /// that only these lead to.
  public List<String> losses() {
    return change.losses();
  }

  /// Returns the fingerprint of the schema that the source has.
  public long oldFingerprint() {
    return old.fingerprint();
  }

  /// Returns the bytes that the target must have, its header and schema included.
  public long bytes() {
    int text = change.to.toString().getBytes(StandardCharsets.UTF_8).length;
    return Container.HEADER_BYTES + Long.BYTES + ((text + 7) & -8) + totalBytes;
  }

  /// Returns the bytes that the target of [#objectsInto] must have, its header included.
  public long objectBytes() {
    return Container.HEADER_BYTES + totalBytes;
  }

  /// Refuses a target that has objects or a schema.
  static void requireEmpty(Container target) {
    if (target.usedBytes() != Container.HEADER_BYTES || target.fingerprint() != 0) {
      throw new IllegalArgumentException(
          "objects can be converted into an empty container only: clear() this one, or take"
              + " another");
    }
  }

  /// Takes note of something that begins at an offset. Of those that begin at one offset, the
  /// largest is copied, and the others are parts of it. Of two of one size, the one that holds the
  /// other is copied.
  private void include(long offset, int shape) {
    int last = count - 1;
    boolean isInside = last >= 0 && offset < offsets[last] + sizes[last];
    if (isInside && (isSegment(shape) || (isSegment(shapes[last]) && offset == offsets[last]))) {
      throw overlaps(offset, shape % old.shapes().size());
    }
    long size = extent(offset, shape);
    if (last >= 0 && offsets[last] == offset) {
      boolean holdsLast = size == sizes[last] && locate(shape, 0, shapes[last], size) >= 0;
      if (size <= sizes[last] && !holdsLast) {
        return;
      }
      totalBytes -= newExtent(last);
      count--;
    } else if (last >= 0 && offset < offsets[last] + sizes[last]) {
      return;
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      shapes = Arrays.copyOf(shapes, 2 * count);
      sizes = Arrays.copyOf(sizes, 2 * count);
      places = Arrays.copyOf(places, 2 * count);
    }
    offsets[count] = offset;
    shapes[count] = shape;
    sizes[count] = size;
    places[count] = totalBytes;
    totalBytes = Math.addExact(totalBytes, newExtent(count));
    count++;
  }

  /// Whether a number that a walk has reported stands for segments of a table.
  private boolean isSegment(int shape) {
    return shape >= old.shapes().size();
  }

  private int element(int tableShape) {
    return ((Shape.Table) old.shape(tableShape)).element();
  }

  /// Finds the places of segments: behind what is before them in their table.
  private void placeSegments() {
    for (int i = 0; i < count; i++) {
      if (isSegment(shapes[i])) {
        Part part = Objects.requireNonNull(parts.get(offsets[i]));
        int shape = part.table.shape();
        int table = Arrays.binarySearch(offsets, 0, count, part.table.offset());
        if (table < 0 || shapes[table] != shape) {
          throw overlaps(offsets[i], shape);
        }
        places[i] = places[table] + ObjectAccess.ELEMENTS_AT + part.segment.first() * stride(shape);
      }
    }
  }

  /// Returns the distance of a table's elements in the target.
  private long stride(int tableShape) {
    return change.to.shape(change.partner(element(tableShape))).sizeBytes();
  }

  private CorruptContainerException overlaps(long offset, int shape) {
    return new CorruptContainerException(
        "the %s at %d overlaps something else, or lies in a field that is gone or after the last element of a table"
            .formatted(old.name(shape), offset));
  }

  /// Returns the bytes that something takes. They are checked again, since the walk read them
  /// before.
  private long extent(long offset, int shape) {
    if (isSegment(shape)) {
      Part part = Objects.requireNonNull(parts.get(offset));
      return ObjectAccess.SEGMENT_ELEMENTS_AT
          + part.segment.capacity() * old.shape(element(part.table.shape())).sizeBytes();
    }
    GrownTable table = grown.get(offset);
    if (table != null && table.shape() == shape) {
      return ObjectAccess.ELEMENTS_AT + table.first() * old.shape(element(shape)).sizeBytes();
    }
    int front = old.shape(shape).sizeBytes();
    int elementBytes = elementBytes(offset, shape);
    if (elementBytes == 0) {
      return front;
    }
    long elements = load(offset + Long.BYTES);
    long room = (source.usedBytes() - offset - front) / elementBytes;
    if (elements < 0 || elements > room) {
      throw changed(offset, shape);
    }
    return front + elements * elementBytes;
  }

  /// Returns the size of an element, or 0 if there are none.
  private int elementBytes(long offset, int shape) {
    return switch (old.shape(shape)) {
      case Shape.Struct _ -> 0;
      case Shape.Elements _ -> {
        Primitive element =
            ObjectAccess.OBJECTS.elementOf((byte) Raw.BYTE.get(Raw.GLOBAL, sourceAddress + offset));
        if (element == null) {
          throw changed(offset, shape);
        }
        yield element.sizeBytes();
      }
      case Shape.References _ -> Long.BYTES;
      case Shape.Table(int element) -> old.shape(element).sizeBytes();
    };
  }

  private CorruptContainerException changed(long offset, int shape) {
    return new CorruptContainerException(
        "the %s at %d was changed by another thread or process while it was read"
            .formatted(old.name(shape), offset));
  }

  /// Returns the bytes that the target needs for a copy, a multiple of eight.
  private long newExtent(int index) {
    if (isSegment(shapes[index])) {
      return 0; // its table has room for it
    }
    Schema to = change.to;
    long size =
        switch (old.shape(shapes[index])) {
          case Shape.Struct _ -> to.shape(change.partner(shapes[index])).sizeBytes();
          case Shape.Elements _, Shape.References _ -> sizes[index];
          case Shape.Table(int element) ->
              ObjectAccess.ELEMENTS_AT
                  + Math.multiplyExact(
                      newCapacity(index, element), to.shape(change.partner(element)).sizeBytes());
        };
    return (size + 7) & -8;
  }

  /// Returns for how many elements the copy of a table has room: those of its segments, too.
  private long newCapacity(int index, int element) {
    GrownTable table = grown.get(offsets[index]);
    return table == null ? capacity(index, element) : table.room();
  }

  /// Returns for how many elements a table has room behind its own beginning.
  private long capacity(int index, int element) {
    return (sizes[index] - ObjectAccess.ELEMENTS_AT) / old.shape(element).sizeBytes();
  }

  /// Writes the objects to an empty container, which is told the new schema. The target is empty
  /// again if this throws.
  ///
  /// @throws IllegalArgumentException if `target` is not empty
  /// @throws CorruptContainerException if the source is damaged, or was changed meanwhile
  /// @throws ContainerFullException if `target` has fewer than [#bytes]
  public void into(Container target) {
    into(target, true, bytes());
  }

  /// Writes the objects as [#into] does, to a container that is not told the schema: for messages
  /// to a program that knows it.
  ///
  /// @throws IllegalArgumentException as for [#into]
  /// @throws CorruptContainerException as for [#into]
  /// @throws ContainerFullException if `target` has fewer than [#objectBytes]
  public void objectsInto(Container target) {
    into(target, false, objectBytes());
  }

  private void into(Container target, boolean declares, long bytes) {
    requireEmpty(target);
    if (bytes > target.capacityBytes()) {
      throw new ContainerFullException(
          "the converted objects take %d bytes, and the container has %d: make it larger"
              .formatted(bytes, target.capacityBytes()));
    }
    try {
      write(target, declares);
    } catch (RuntimeException | Error e) { // an Error where the source's file was cut short
      target.clear();
      throw e;
    } finally {
      Reference.reachabilityFence(source);
      Reference.reachabilityFence(target);
    }
  }

  private void write(Container container, boolean declares) {
    if (declares) {
      container.declare(change.to);
    }
    long base = ObjectAccess.OBJECTS.allocate(container, totalBytes);
    Target target = new Target(container, ObjectAccess.OBJECTS.address(container), base);
    for (int i = 0; i < count; i++) {
      write(i, target);
    }
    ObjectAccess.OBJECTS.rootOffset(container, root == 0 ? 0 : base + place(root, old.root()));
  }

  private void write(int index, Target target) {
    long at = offsets[index];
    long to = target.base + places[index];
    if (isSegment(shapes[index])) {
      Part part = Objects.requireNonNull(parts.get(at));
      long elements = part.segment.count(load(part.table.offset()));
      long from = at + ObjectAccess.SEGMENT_ELEMENTS_AT;
      writeElements(from, element(part.table.shape()), elements, target, to);
      return;
    }
    switch (old.shape(shapes[index])) {
      case Shape.Struct _ -> writeStruct(at, shapes[index], target, to);
      case Shape.Elements _ -> copy(at, target, to, sizes[index]);
      case Shape.References(int element) -> {
        copy(at, target, to, ObjectAccess.ELEMENTS_AT);
        // An element after the last one, of a process that was killed before it counted it, leads
        // to
        // nothing that is copied.
        long elements = Math.min(load(at), (sizes[index] - ObjectAccess.ELEMENTS_AT) / Long.BYTES);
        for (long i = 0; i < elements; i++) {
          long place = ObjectAccess.ELEMENTS_AT + i * Long.BYTES;
          refer(at + place, element, target, to + place);
        }
      }
      case Shape.Table(int element) -> {
        copy(at, target, to, ObjectAccess.ELEMENTS_AT);
        long newCapacity = newCapacity(index, element);
        Raw.LONG.set(Raw.GLOBAL, target.address + to + Long.BYTES, newCapacity);
        long from = at + ObjectAccess.ELEMENTS_AT;
        long elements = Math.min(load(at), capacity(index, element));
        writeElements(from, element, elements, target, to + ObjectAccess.ELEMENTS_AT);
      }
    }
  }

  private void writeElements(long from, int element, long elements, Target target, long to) {
    long stride = old.shape(element).sizeBytes();
    long newStride = change.to.shape(change.partner(element)).sizeBytes();
    for (long i = 0; i < elements; i++) {
      writeStruct(from + i * stride, element, target, to + i * newStride);
    }
  }

  private void writeStruct(long at, int shape, Target target, long to) {
    for (SchemaChange.Move move : change.moves(shape)) {
      long from = at + move.from();
      long goesTo = to + move.to();
      switch (move) {
        case SchemaChange.Move.Copy copy -> copy(from, target, goesTo, copy.bytes());
        case SchemaChange.Move.Refer refer -> refer(from, refer.shape(), target, goesTo);
        case SchemaChange.Move.Within within -> writeStruct(from, within.shape(), target, goesTo);
        case SchemaChange.Move.Widen widen -> {
          Number value = read(from, widen.fromType());
          switch (widen.toType()) {
            case SHORT -> Raw.SHORT.set(Raw.GLOBAL, target.address + goesTo, value.shortValue());
            case INT -> Raw.INT.set(Raw.GLOBAL, target.address + goesTo, value.intValue());
            case LONG -> Raw.LONG.set(Raw.GLOBAL, target.address + goesTo, value.longValue());
            case FLOAT -> Raw.FLOAT.set(Raw.GLOBAL, target.address + goesTo, value.floatValue());
            case DOUBLE -> Raw.DOUBLE.set(Raw.GLOBAL, target.address + goesTo, value.doubleValue());
            case BOOLEAN, BYTE, CHAR -> throw new IllegalStateException("nothing widens to these");
          }
        }
      }
    }
  }

  private Number read(long offset, Primitive type) {
    long at = sourceAddress + offset;
    return switch (type) {
      case BYTE -> (byte) Raw.BYTE.get(Raw.GLOBAL, at);
      case SHORT -> (short) Raw.SHORT.get(Raw.GLOBAL, at);
      case CHAR -> (int) (char) Raw.CHAR.get(Raw.GLOBAL, at);
      case INT -> (int) Raw.INT.get(Raw.GLOBAL, at);
      case FLOAT -> (float) Raw.FLOAT.get(Raw.GLOBAL, at);
      case BOOLEAN, LONG, DOUBLE -> throw new IllegalStateException("nothing is wider");
    };
  }

  private void copy(long at, Target target, long to, long bytes) {
    ObjectAccess.OBJECTS
        .bytes(target.container, to, bytes)
        .copyFrom(ObjectAccess.OBJECTS.bytes(source, at, bytes));
  }

  private void refer(long at, int shape, Target target, long to) {
    long offset = load(at);
    long place = offset == 0 ? 0 : target.base + place(offset, shape);
    Raw.LONG.set(Raw.GLOBAL, target.address + to, place);
  }

  private long load(long offset) {
    return (long) Raw.LONG.get(Raw.GLOBAL, sourceAddress + offset);
  }

  /// Returns the new place of what lay at an offset, counted from the first copy.
  private long place(long offset, int shape) {
    int found = Arrays.binarySearch(offsets, 0, count, offset);
    int index = found >= 0 ? found : -found - 2;
    if (index >= 0) {
      long within = offset - offsets[index];
      long kept = keptBytes(index);
      long place = within < kept ? locate(shapes[index], within, shape, kept) : -1;
      if (place >= 0) {
        return places[index] + place;
      }
    }
    throw overlaps(offset, shape);
  }

  /// Returns the bytes of something that are copied: of a table, no more than its elements.
  private long keptBytes(int index) {
    if (isSegment(shapes[index])) {
      Part part = Objects.requireNonNull(parts.get(offsets[index]));
      return ObjectAccess.SEGMENT_ELEMENTS_AT
          + part.segment.count(load(part.table.offset()))
              * old.shape(element(part.table.shape())).sizeBytes();
    }
    if (old.shape(shapes[index]) instanceof Shape.Table(int element)) {
      long elements = Math.clamp(load(offsets[index]), 0, capacity(index, element));
      return ObjectAccess.ELEMENTS_AT + elements * old.shape(element).sizeBytes();
    }
    return sizes[index];
  }

  /// Returns the new place of a part of something, counted from the beginning of that; -1 if it has
  /// no such part.
  private long locate(int holder, long within, int wanted, long size) {
    if (isSegment(holder)) {
      int element = element(holder - old.shapes().size());
      long stride = old.shape(element).sizeBytes();
      long behind = within - ObjectAccess.SEGMENT_ELEMENTS_AT;
      if (behind < 0) {
        return -1;
      }
      long place = locate(element, behind % stride, wanted, stride);
      long newStride = stride(holder - old.shapes().size());
      return place < 0 ? -1 : behind / stride * newStride + place;
    }
    if (within == 0 && old.isAncestor(wanted, holder)) {
      return 0;
    }
    if (old.shape(holder) instanceof Shape.Table(int element)) {
      long stride = old.shape(element).sizeBytes();
      long newStride = change.to.shape(change.partner(element)).sizeBytes();
      long index = (within - ObjectAccess.ELEMENTS_AT) / stride;
      if (within < ObjectAccess.ELEMENTS_AT
          || size < ObjectAccess.ELEMENTS_AT + (index + 1) * stride) {
        return -1;
      }
      long rest = (within - ObjectAccess.ELEMENTS_AT) % stride;
      long place = locate(element, rest, wanted, stride);
      return place < 0 ? -1 : ObjectAccess.ELEMENTS_AT + index * newStride + place;
    }
    List<SchemaChange.Move> moves = change.moves(holder);
    for (SchemaChange.Move move : moves) {
      if (move instanceof SchemaChange.Move.Within(int from, int to, int inner)) {
        long rest = within - from;
        if (rest >= 0 && rest < old.shape(inner).sizeBytes()) {
          long place = locate(inner, rest, wanted, old.shape(inner).sizeBytes());
          return place < 0 ? -1 : to + place;
        }
      }
    }
    return -1;
  }
}
