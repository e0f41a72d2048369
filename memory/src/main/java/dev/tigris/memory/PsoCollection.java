package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Objects of one class, by index, in a container.
///
/// ```
///   offset   size
///        0      8   size: how many elements there are
///        8      8   capacity: for how many there is room
///       16    ...   the elements
/// ```
///
/// The class of the elements is not stored. A field says it in its declaration,
/// `PsoList<Trade> trades`, and whoever opens a container says it for its root.
///
/// Thread rule: plain memory. One thread at a time adds elements.
public abstract sealed class PsoCollection<T extends Pso> extends Pso permits PsoList, PsoTable {
  static final int ELEMENTS_AT = ObjectAccess.ELEMENTS_AT;

  private long size;
  private long capacity;

  @HeapOnly private @Nullable Class<T> type;

  /// The capacity as it was when it was checked; what is stored may change at any time.
  @HeapOnly private long room;

  PsoCollection(Container container, Class<T> type, long capacity, long strideBytes) {
    super(container, bytes(type, capacity, strideBytes));
    this.capacity = capacity;
    this.type = type;
    this.room = capacity;
    publish();
  }

  private static long bytes(Class<?> type, long capacity, long strideBytes) {
    requireElement(type);
    PsoClass.of(type).requireConcrete();
    if (capacity < 0 || capacity > Long.MAX_VALUE / PsoLayout.MAX_BYTES) {
      throw new IllegalArgumentException("no collection can have room for " + capacity);
    }
    return capacity * strideBytes;
  }

  /// Whether it was made or opened for elements of this class.
  final boolean isOf(Class<? extends Pso> elements) {
    return type == elements;
  }

  /// Called once for a collection that was recovered, before anybody else sees it.
  ///
  /// @throws CorruptReferenceException if what is stored cannot be one
  @SuppressWarnings("unchecked") // whoever recovers it says what the elements are
  final void open(Class<? extends Pso> elements) {
    type = (Class<T>) elements;
    long stored = capacity;
    long fits = (container().capacityBytes() - offset() - ELEMENTS_AT) / strideBytes();
    if (stored < 0 || stored > fits) {
      throw container()
          .unlessOutgrown(
              new CorruptReferenceException(
                  "a collection with room for %d elements cannot be where %d fit"
                      .formatted(stored, fits)));
    }
    room = stored;
    publish();
  }

  /// Refuses elements that are collections themselves: nothing would say what is in those.
  ///
  /// @throws IllegalArgumentException if it is a class of such
  static void requireElement(Class<?> type) {
    if (PsoCollection.class.isAssignableFrom(type)) {
      throw new IllegalArgumentException(
          "nothing says what is in a %s that is an element: let it be a field of the elements' class"
              .formatted(type.getSimpleName()));
    }
  }

  static boolean hasVaryingSize(Class<?> type) {
    return type == PsoArray.class || PsoCollection.class.isAssignableFrom(type);
  }

  /// The distance from one element to the next.
  abstract long strideBytes();

  final Class<T> type() {
    Class<T> known = type;
    if (known == null) {
      throw new IllegalStateException(
          "the type of the elements is unknown: open a root with Container.rootList or rootTable");
    }
    return known;
  }

  /// Returns the number of elements.
  ///
  /// @throws CorruptReferenceException if that cannot be what is stored
  public final long size() {
    long stored = size;
    if (stored < 0 || stored > room) {
      type(); // one that nobody has opened has no room either
      throw new CorruptReferenceException(
          "a collection with room for %d elements cannot have %d".formatted(room, stored));
    }
    return stored;
  }

  /// Returns the number of elements that there is room for.
  public final long capacity() {
    checkLease(this);
    return room;
  }

  /// Takes the place of one more element.
  ///
  /// @throws ContainerFullException if there is none
  final long grow() {
    long index = size();
    if (index == room) {
      throw new ContainerFullException(
          "a collection with room for %d elements cannot have more: make it with a larger capacity"
              .formatted(room));
    }
    return index;
  }

  final void sized(long elements) {
    size = elements;
  }

  /// Returns the element at `index`.
  ///
  /// @throws IndexOutOfBoundsException if there is none
  public abstract @Nullable T get(long index);

  /// Returns a cursor before the first element, which visits all elements without making an object
  /// for each.
  public abstract PsoCursor<T> cursor();

  /// An object of the element's class at a place that was checked.
  final T bind(long place) {
    PsoClass target = PsoClass.of(type());
    return type().cast(target.bind(PsoBinding.checked(target, container(), place)));
  }

  /// Returns text about the stored values, even where they are damaged.
  @Override
  public final String toString() {
    Class<T> known = type;
    String elements = known == null ? "something" : ObjectText.nameOf(known);
    return "%s[%d of %s, room for %d]".formatted(getClass().getSimpleName(), size, elements, room);
  }

  final long checkIndex(long index) {
    return Objects.checkIndex(index, size());
  }
}
