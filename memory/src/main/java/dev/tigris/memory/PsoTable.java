package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Objects of one class that lie one after the other in a container, as in an array of structs.
/// Each is a part of the table. A [PsoList] refers to objects instead.
///
/// ```
///   offset   size
///        0      8   size
///        8      8   capacity
///       16    ...   the objects, each as large as its layout says
/// ```
///
/// A table that is full grows by a segment elsewhere in the container ([#add]), as long as that has
/// room. [TableSegments] shows how these lie. The container has format version 2 from then on,
/// which earlier versions of this library refuse.
///
/// Visiting it with a [#cursor] reads memory in order and makes no objects.
///
/// Thread rule: plain memory. One thread at a time adds elements.
public final class PsoTable<T extends Pso> extends PsoCollection<T> {
  /// The least number of elements that a table grows by, where there is room for them.
  private static final long LEAST_ADDED = 16;

  @HeapOnly private long stride;

  /// The parts behind the first one, as far as they are known; null if there are none.
  @HeapOnly private @Nullable TableSegments segments;

  /// Makes a table without elements, with room for `capacity` of them.
  ///
  /// @throws ContainerFullException if the container has no room for it
  /// @throws IllegalArgumentException if the capacity is negative, the elements are arrays or
  ///     collections, or their class is abstract
  public PsoTable(Container container, Class<T> type, long capacity) {
    super(container, type, capacity, stride(type));
  }

  private static long stride(Class<? extends Pso> type) {
    requireTableElement(type);
    return PsoClass.of(type).layout().sizeBytes();
  }

  /// As [PsoCollection#requireElement], and refuses arrays.
  static void requireTableElement(Class<?> type) {
    requireElement(type);
    if (hasVaryingSize(type)) {
      throw new IllegalArgumentException(
          "objects of %s differ in size: use a PsoList of them".formatted(type.getSimpleName()));
    }
  }

  @Override
  long strideBytes() {
    long known = stride;
    if (known == 0) {
      known = stride(type());
      stride = known;
    }
    return known;
  }

  @Override
  PsoCursor<T> visit(long from, long to) {
    boolean areTogether = to <= firstRoom() || from == to || behind(to - 1).areTogether(from, to);
    return areTogether
        ? new PsoCursor<>(container(), type(), start(from, to), strideBytes(), from, to - from)
        : new PsoCursor<>(this, from, to - from);
  }

  /// Where a range begins that lies together; for an empty one, which may be behind all parts, any
  /// place will do.
  private long start(long from, long to) {
    return from == to ? offset() + ELEMENTS_AT : place(from);
  }

  /// Returns the element at `index`. Each call makes another object for the same place.
  ///
  /// @throws IndexOutOfBoundsException if there is none
  @Override
  public T get(long index) {
    return element(checkIndex(index));
  }

  @Override
  T element(long index) {
    return bind(place(index));
  }

  /// Adds an element, all zero. A table whose capacity is used up gets room for as many elements
  /// again, elsewhere in its container: indexes, objects and references stay as they are.
  ///
  /// @throws ContainerFullException if the container has no room for that either
  public T add() {
    long index = grow();
    long place = place(index);
    // A process that was killed may have left something there.
    container().zero(place, strideBytes());
    T element = bind(place);
    sized(index + 1);
    return element;
  }

  /// Doubles the capacity, or takes half of what is left in the container for it: other objects
  /// need some, too.
  @Override
  void enlarge() {
    requireConstructed();
    Container container = container().allocator();
    long stride = strideBytes();
    long left = container.remainingBytes();
    long most = (left - ObjectAccess.SEGMENT_ELEMENTS_AT) / stride;
    if (most < 1) {
      throw new ContainerFullException(
          "a table with room for %d elements cannot have more: %d bytes of its container are left. Make the container larger, or map the file with more bytes"
              .formatted(capacity(), left));
    }
    long wanted = Math.max(capacity(), LEAST_ADDED);
    long segment =
        TableSegments.make(
            container, capacity(), wanted <= most ? wanted : Math.max(1, most / 2), stride);
    container.growTables();
    TableSegments before = segments;
    if (before == null) {
      link(segment);
    } else {
      before.append(container, segment);
    }
    refresh();
  }

  @Override
  TableSegments read(long storedCapacity) {
    return TableSegments.read(container(), -storedCapacity, strideBytes());
  }

  @Override
  boolean areKnown(long firstSegment) {
    TableSegments known = segments;
    return known != null && known.areStored(container(), firstSegment);
  }

  @Override
  void keep(TableSegments read) {
    segments = read;
  }

  /// The segments, which have the place of an element behind the first part: those that are known,
  /// or those that another thread has added.
  private TableSegments behind(long index) {
    TableSegments known = segments;
    if (!TableSegments.have(known, index)) {
      refresh();
      known = segments;
    }
    if (known == null || index >= known.room) {
      throw new CorruptReferenceException(
          "a table has no part with the element at %d any more".formatted(index));
    }
    return known;
  }

  /// Inside of the room that was checked, so that the place needs no check of its own.
  @Override
  long place(long index) {
    return index < firstRoom()
        ? offset() + ELEMENTS_AT + index * strideBytes()
        : placeBehind(index);
  }

  private long placeBehind(long index) {
    return behind(index).place(index, strideBytes());
  }

  /// The bytes of as many elements from an index on as lie together, at most `most` of them, for
  /// which there is room.
  MemorySegment together(long from, long most) {
    long end = from < firstRoom() ? firstRoom() : behind(from).end(from);
    return container().raw(place(from), Math.min(most, end - from) * strideBytes());
  }

  /// Makes room for elements from an index on, and makes their bytes zero. It adds none.
  ///
  /// @throws ContainerFullException if the container has no room for them
  void reserve(long from, long count) {
    long lacking = from + count - capacity();
    Container container = container().allocator();
    if (lacking > container.remainingBytes() / strideBytes()) {
      throw new ContainerFullException(
          "no room for %d more elements of %d bytes: %d bytes of their container are left. Make the container larger"
              .formatted(lacking, strideBytes(), container.remainingBytes()));
    }
    while (capacity() - from < count) {
      enlarge();
    }
    for (long at = from; at < from + count; ) {
      MemorySegment together = together(at, from + count - at);
      together.fill((byte) 0); // a process that was killed may have left something there
      at += together.byteSize() / strideBytes();
    }
  }
}
