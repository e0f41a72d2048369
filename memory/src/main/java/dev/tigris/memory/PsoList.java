package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// References to objects of one class, by index: the array of references of a container. Elements
/// may be null, and the same object may be there more than once.
///
/// ```
///   offset   size
///        0      8   size
///        8      8   capacity
///       16    ...   the offsets of the elements in the container, 8 bytes each; 0 is null
/// ```
///
/// An element is recovered when it is first read, and later reads return the same object as long as
/// the same offset is stored. As with a field, a cursor's object is not kept for them, and an
/// element of *another* container is kept by this Java object only; everybody else reads null.
///
/// Thread rule: elements may be read by many threads. One thread at a time writes.
public final class PsoList<T extends Pso> extends PsoCollection<T> implements Iterable<T> {
  /// By index, the objects that were written or recovered.
  @HeapOnly private volatile Pso @Nullable [] known;

  /// By index, the objects of other containers.
  @HeapOnly private volatile Pso @Nullable [] foreign;

  /// Makes a list without elements, with room for `capacity` of them.
  ///
  /// @throws ContainerFullException if the container has no room for it
  /// @throws IllegalArgumentException if the capacity is negative, or the class is abstract or one
  ///     of collections: nothing would say what is in those
  public PsoList(Container container, Class<T> type, int capacity) {
    super(container, type, capacity, Long.BYTES);
  }

  @Override
  long strideBytes() {
    return Long.BYTES;
  }

  /// The element at `index`.
  ///
  /// @throws IndexOutOfBoundsException if the list has none there
  /// @throws CorruptReferenceException if no object can be where the list says
  @Override
  public @Nullable T get(long index) {
    return element(checkIndex(index));
  }

  /// The element at an index that was checked. The size is not asked for again: another process may
  /// have made it smaller meanwhile, and an iteration goes on to the end that it has seen.
  private @Nullable T element(long index) {
    long stored = load(index);
    Pso[] objects = known;
    Pso object = objects == null ? null : objects[(int) index];
    if (object != null && object.isAt(container(), stored)) {
      return type().cast(object);
    }
    if (stored == 0) {
      Pso[] others = foreign;
      Pso other = others == null ? null : others[(int) index];
      return other == null ? null : type().cast(other);
    }
    T fresh = bind(check(stored));
    known()[(int) index] = fresh;
    return fresh;
  }

  /// Makes an object, or null, the element at `index`.
  ///
  /// @throws IndexOutOfBoundsException if the list has none there: see [#add]
  /// @throws ClassCastException if it is of another class than the list's elements
  public void set(long index, @Nullable T element) {
    write(checkIndex(index), element);
  }

  /// Adds an element, which may be null.
  ///
  /// @throws ContainerFullException if the list's capacity is used up
  public void add(@Nullable T element) {
    long index = grow();
    write(index, element);
    sized(index + 1);
  }

  @SuppressWarnings("ReferenceEquality") // it is this object that is kept, not one like it
  private void write(long index, @Nullable T element) {
    Pso object = type().cast(element);
    boolean elsewhere = object != null && object.container() != container();
    Pso stays = elsewhere ? null : object;
    long stored = stays == null ? 0 : stays.offsetToStore();
    Pso[] others = foreign;
    Pso kept = elsewhere ? object : null;
    if ((others == null ? null : others[(int) index]) != kept) {
      // Copied, so that a reader who finds 0 finds the object that it stands for, or the one
      // before.
      others = others == null ? new Pso[array()] : others.clone();
      others[(int) index] = kept;
      foreign = others;
    }
    known()[(int) index] = lasting(stays);
    store(index, stored);
  }

  private Pso[] known() {
    Pso[] objects = known;
    if (objects == null) {
      synchronized (this) {
        objects = known;
        if (objects == null) {
          objects = new Pso[array()];
          known = objects;
        }
      }
    }
    return objects;
  }

  private int array() {
    if (capacity() > Integer.MAX_VALUE - 8) {
      throw new CorruptReferenceException(
          "a list cannot have room for " + capacity() + " elements");
    }
    return (int) capacity();
  }

  /// @throws IllegalStateException if the elements are arrays or collections, which differ in size
  ///     and keep what they know in the Java object
  @Override
  public PsoCursor<T> cursor() {
    if (hasVaryingSize(type())) {
      throw new IllegalStateException(
          "a cursor cannot stand for a %s: use get".formatted(type().getSimpleName()));
    }
    return new PsoCursor<>(this, size());
  }

  /// Where the element at an index lies, checked for an object of the elements' class; 0 for none.
  long place(long index) {
    long stored = load(index);
    return stored == 0 ? 0 : check(stored);
  }

  private long check(long stored) {
    PsoBinding.require(PsoClass.of(type()), container(), stored, "a list's element");
    return stored;
  }

  private long load(long index) {
    long at = masked() + ELEMENTS_AT + (index << 3);
    long stored = (long) Raw.LONG.get(Raw.GLOBAL, at);
    Reference.reachabilityFence(this);
    return stored;
  }

  private void store(long index, long stored) {
    requireConstructed();
    Raw.LONG.set(Raw.GLOBAL, masked() + ELEMENTS_AT + (index << 3), stored);
    Reference.reachabilityFence(this);
  }

  /// The elements that are there now, in order. Recovering each makes an object the first time;
  /// [#cursor] makes one for all.
  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private final long end = size();
      private long index;

      @Override
      public boolean hasNext() {
        return index < end;
      }

      @Override
      @SuppressWarnings("NullAway") // an element may be null, which Iterable cannot say
      public T next() {
        if (index >= end) {
          throw new NoSuchElementException("a list of " + end + " elements has no more");
        }
        return element(index++);
      }
    };
  }
}
