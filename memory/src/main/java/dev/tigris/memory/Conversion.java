package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Copies what can be reached in a container into one of another [Schema], in the order in which it
/// lies. What nobody can reach any more stays behind.
///
/// Thread rule: one thread, and nobody writes to the old container meanwhile.
final class Conversion {
  private final Container source;
  private final SchemaChange change;
  private final Schema old;

  /// What is copied as a whole, by rising offset; parallel. What is referred to inside of one
  /// of them, such as an element of a table, moves along with it.
  private long[] offsets = new long[64];

  private int[] shapes = new int[64];
  private long[] sizes = new long[64];
  private long[] places = new long[64];
  private int count;
  private long totalBytes;

  /// Reads the source and finds out what goes where.
  ///
  /// @throws SchemaException if fields have changed in a way that cannot be converted
  /// @throws CorruptContainerException if the source is damaged
  Conversion(Container source, Schema from, Schema to) {
    this.source = source;
    this.change = new SchemaChange(from, to);
    this.old = from;
    if (!change.isPossible()) {
      throw new SchemaException(change.explain());
    }
    Walk walk = new Walk(change.kept(), source, source.usedBytes());
    walk.from(source.rootOffset());
    walk.forEachStart(this::include);
  }

  /// As the constructor, from the schema that the source was told.
  ///
  /// @throws SchemaException if it was told none, too
  static Conversion of(Container source, Schema to) {
    Schema own = source.schema();
    if (own == null) {
      throw new SchemaException("the container does not say what is in it: declare(schema)");
    }
    return new Conversion(source, own, to);
  }

  /// What differs.
  String explain() {
    return change.explain();
  }

  /// What differs between two schemas, and what to do about it.
  static String explain(Schema from, Schema to) {
    SchemaChange change = new SchemaChange(from, to);
    return change.isPossible()
        ? change.explain()
            + "; Jbuf.map(file, mapping, bytes, schema) converts a file, Schema.convert a container"
        : change.explain();
  }

  /// The bytes that the target needs, header and schema included.
  long bytes() {
    int text = change.to.toString().getBytes(StandardCharsets.UTF_8).length;
    return Container.HEADER_BYTES + Long.BYTES + ((text + 7) & -8) + totalBytes;
  }

  /// Takes note of something that begins at an offset. Of what begins at the same place the largest
  /// is copied, and the others are parts of it; of two that are as large, the one that holds the
  /// other.
  private void include(long offset, int shape) {
    int last = count - 1;
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

  /// The bytes that something takes; checked once more, as what was read here was read before.
  private long extent(long offset, int shape) {
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

  /// The size of the elements behind the front part; 0 where there are none.
  private int elementBytes(long offset, int shape) {
    return switch (old.shape(shape)) {
      case Shape.Struct _ -> 0;
      case Shape.Elements _ -> {
        Primitive element = PsoArray.elementOf((byte) Raw.BYTE.get(Raw.GLOBAL, source.at(offset)));
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
        "the %s at %d changed while it was read".formatted(old.name(shape), offset));
  }

  /// The bytes that the target needs for what is copied, a multiple of eight.
  private long newExtent(int index) {
    Schema to = change.to;
    long size =
        switch (old.shape(shapes[index])) {
          case Shape.Struct _ -> to.shape(change.partner(shapes[index])).sizeBytes();
          case Shape.Elements _, Shape.References _ -> sizes[index];
          case Shape.Table(int element) ->
              PsoCollection.ELEMENTS_AT
                  + Math.multiplyExact(
                      capacity(index, element), to.shape(change.partner(element)).sizeBytes());
        };
    return (size + 7) & -8;
  }

  /// For how many elements a table that is copied has room.
  private long capacity(int index, int element) {
    return (sizes[index] - PsoCollection.ELEMENTS_AT) / old.shape(element).sizeBytes();
  }

  /// Writes everything to an empty container.
  ///
  /// @throws ContainerFullException if it has fewer than [#bytes]
  void into(Container target) {
    target.declare(change.to);
    long base = target.allocate(totalBytes);
    for (int i = 0; i < count; i++) {
      write(i, target, base);
    }
    long root = source.rootOffset();
    target.rootOffset(root == 0 ? 0 : base + place(root, old.root()));
    Reference.reachabilityFence(source);
    Reference.reachabilityFence(target);
  }

  private void write(int index, Container target, long base) {
    long at = offsets[index];
    long to = base + places[index];
    switch (old.shape(shapes[index])) {
      case Shape.Struct _ -> writeStruct(at, shapes[index], target, to, base);
      case Shape.Elements _ -> copy(at, target, to, sizes[index]);
      case Shape.References(int element) -> {
        copy(at, target, to, PsoCollection.ELEMENTS_AT);
        // What was written behind the last element, by somebody who was killed before it counted,
        // leads to nothing that is copied.
        long elements = Math.min(load(at), (sizes[index] - PsoCollection.ELEMENTS_AT) / Long.BYTES);
        for (long i = 0; i < elements; i++) {
          long place = PsoCollection.ELEMENTS_AT + i * Long.BYTES;
          refer(at + place, element, target, to + place, base);
        }
      }
      case Shape.Table(int element) -> {
        copy(at, target, to, PsoCollection.ELEMENTS_AT);
        long stride = old.shape(element).sizeBytes();
        long newStride = change.to.shape(change.partner(element)).sizeBytes();
        long elements = Math.min(load(at), capacity(index, element));
        for (long i = 0; i < elements; i++) {
          writeStruct(
              at + PsoCollection.ELEMENTS_AT + i * stride,
              element,
              target,
              to + PsoCollection.ELEMENTS_AT + i * newStride,
              base);
        }
      }
    }
  }

  private void writeStruct(long at, int shape, Container target, long to, long base) {
    for (SchemaChange.Move move : change.moves(shape)) {
      long from = at + move.from();
      long goesTo = to + move.to();
      switch (move) {
        case SchemaChange.Move.Copy copy -> copy(from, target, goesTo, copy.bytes());
        case SchemaChange.Move.Refer refer -> refer(from, refer.shape(), target, goesTo, base);
        case SchemaChange.Move.Within within ->
            writeStruct(from, within.shape(), target, goesTo, base);
        case SchemaChange.Move.Widen widen -> {
          Number value = read(from, widen.fromType());
          switch (widen.toType()) {
            case SHORT -> Raw.SHORT.set(Raw.GLOBAL, target.at(goesTo), value.shortValue());
            case INT -> Raw.INT.set(Raw.GLOBAL, target.at(goesTo), value.intValue());
            case LONG -> Raw.LONG.set(Raw.GLOBAL, target.at(goesTo), value.longValue());
            case FLOAT -> Raw.FLOAT.set(Raw.GLOBAL, target.at(goesTo), value.floatValue());
            case DOUBLE -> Raw.DOUBLE.set(Raw.GLOBAL, target.at(goesTo), value.doubleValue());
            case BOOLEAN, BYTE, CHAR -> throw new IllegalStateException("nothing widens to these");
          }
        }
      }
    }
  }

  private Number read(long offset, Primitive type) {
    long at = source.at(offset);
    return switch (type) {
      case BYTE -> (byte) Raw.BYTE.get(Raw.GLOBAL, at);
      case SHORT -> (short) Raw.SHORT.get(Raw.GLOBAL, at);
      case CHAR -> (int) (char) Raw.CHAR.get(Raw.GLOBAL, at);
      case INT -> (int) Raw.INT.get(Raw.GLOBAL, at);
      case FLOAT -> (float) Raw.FLOAT.get(Raw.GLOBAL, at);
      case BOOLEAN, LONG, DOUBLE -> throw new IllegalStateException("nothing is wider");
    };
  }

  private void copy(long at, Container target, long to, long bytes) {
    target.raw(to, bytes).copyFrom(source.raw(at, bytes));
  }

  private void refer(long at, int shape, Container target, long to, long base) {
    long offset = load(at);
    long place = offset == 0 ? 0 : base + place(offset, shape);
    Raw.LONG.set(Raw.GLOBAL, target.at(to), place);
  }

  private long load(long offset) {
    return (long) Raw.LONG.get(Raw.GLOBAL, source.at(offset));
  }

  /// Where that which lay at an offset goes to, from the first of all.
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
    throw new CorruptContainerException(
        "the %s at %d overlaps something else, or lies in a field that is gone or behind the last element of a table"
            .formatted(old.name(shape), offset));
  }

  /// How much of something is copied: of a table, no more than its elements.
  private long keptBytes(int index) {
    if (old.shape(shapes[index]) instanceof Shape.Table(int element)) {
      long elements = Math.clamp(load(offsets[index]), 0, capacity(index, element));
      return PsoCollection.ELEMENTS_AT + elements * old.shape(element).sizeBytes();
    }
    return sizes[index];
  }

  /// Where that which lies in something of a shape goes to, from its beginning; -1 if there is no
  /// such thing.
  private long locate(int holder, long within, int wanted, long size) {
    if (within == 0 && old.isAncestor(wanted, holder)) {
      return 0;
    }
    if (old.shape(holder) instanceof Shape.Table(int element)) {
      long stride = old.shape(element).sizeBytes();
      long newStride = change.to.shape(change.partner(element)).sizeBytes();
      long index = (within - PsoCollection.ELEMENTS_AT) / stride;
      if (within < PsoCollection.ELEMENTS_AT
          || size < PsoCollection.ELEMENTS_AT + (index + 1) * stride) {
        return -1;
      }
      long rest = (within - PsoCollection.ELEMENTS_AT) % stride;
      long place = locate(element, rest, wanted, stride);
      return place < 0 ? -1 : PsoCollection.ELEMENTS_AT + index * newStride + place;
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
