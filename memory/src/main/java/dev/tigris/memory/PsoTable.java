package dev.tigris.memory;

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
/// Visiting it with a [#cursor] reads memory in order and makes no objects.
///
/// Thread rule: plain memory. One thread at a time adds elements.
public final class PsoTable<T extends Pso> extends PsoCollection<T> {
  @HeapOnly private long stride;

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
    return new PsoCursor<>(container(), type(), place(from), strideBytes(), from, to - from);
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

  /// Adds an element, all zero.
  ///
  /// @throws ContainerFullException if the table's capacity is used up
  public T add() {
    long index = grow();
    long place = place(index);
    container()
        .zero(place, strideBytes()); // a process that was killed may have left something there
    T element = bind(place);
    sized(index + 1);
    return element;
  }

  /// Inside of the room that was checked, so that the place needs no check of its own.
  @Override
  long place(long index) {
    return offset() + ELEMENTS_AT + index * strideBytes();
  }
}
