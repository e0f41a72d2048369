package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/// References to objects of one class, by index: a container's array of references. Elements may be
/// null, and one object may be an element several times.
///
/// ```
///   offset   size
///        0      8   size
///        8      8   capacity
///       16    ...   the offsets of the elements in the container, 8 bytes each; 0 is null
/// ```
///
/// A read makes a Java object for the element, as with a field. Elements of a class with an
/// [Identity] are kept: later reads return the same object as long as the same offset is stored. A
/// cursor's object is not kept for them. An element of *another* container is kept by this Java
/// object only. All others read null there.
///
/// Thread rule: elements may be read by many threads. One thread at a time writes.
public final class PsoList<T extends Pso> extends PsoCollection<T> {
  private static final VarHandle KNOWN_AT = MethodHandles.arrayElementVarHandle(Pso[].class);

  /// By index, the objects that were written or recovered, if their class has an identity.
  @HeapOnly private volatile Pso @Nullable [] known;

  /// By index, the objects of other containers. Changed under the array's monitor.
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

  @Override
  void enlarge() {
    throw new ContainerFullException(
        "a list with room for %d elements cannot have more: make it with a larger capacity"
            .formatted(capacity()));
  }

  /// Returns the element at `index`.
  ///
  /// @throws IndexOutOfBoundsException if the list has none there
  /// @throws CorruptReferenceException if no object can be where the list says
  @Override
  public @Nullable T get(long index) {
    return element(checkIndex(index));
  }

  /// The element at an index that was checked. The size is not asked for again: another process may
  /// have made it smaller meanwhile, and an iteration goes on to the end that it has seen.
  @Override
  @Nullable T element(long index) {
    long stored = load(index);
    if (stored != 0 && !elements().isKept()) {
      return bind(check(stored));
    }
    Pso[] objects = known;
    Pso object = objects == null ? null : objects[(int) index];
    if (object != null && isFor(object, stored)) {
      return type().cast(object);
    }
    // Partner of the releases in store: whoever sees what was written there sees what is kept for
    // it, too.
    VarHandle.acquireFence();
    return stored == 0 ? absent(index) : recoverAnew(index, stored);
  }

  /// Whether a kept object can be handed out again. Of elements, arrays alone keep what they have
  /// found in their bytes: all others are spared the virtual call.
  private boolean isFor(Pso object, long stored) {
    return object.isAt(container(), stored)
        && (!elements().keepsWhatItFound() || object.isCurrent());
  }

  /// What an element is in whose place 0 was read.
  private @Nullable T absent(long index) {
    Pso[] others = foreign;
    if (others == null) {
      return null;
    }
    Pso other = others[(int) index];
    if (other == null) {
      // Null was written, or an object of this container, between the two reads: look at both
      // again.
      synchronized (others) {
        if (load(index) == 0) {
          return type().cast(others[(int) index]);
        }
      }
      return element(index);
    }
    return type().cast(other);
  }

  /// Recovers an element as [Pso#recover] does. If several threads recover it, all return the first
  /// thread's object, and an object that is written at the same time is kept.
  @SuppressWarnings("ReferenceEquality") // which object is meant, whatever equals says
  private T recoverAnew(long index, long stored) {
    T fresh = bind(check(stored));
    Pso[] objects = known();
    Pso before = objects[(int) index];
    if (before != null && isFor(before, stored)) {
      return type().cast(before);
    }
    Pso winner = (Pso) KNOWN_AT.compareAndExchange(objects, (int) index, before, fresh);
    if (winner != before) {
      return winner != null && winner.isAt(container(), stored) ? type().cast(winner) : fresh;
    }
    if (before != null && load(index) != stored) {
      KNOWN_AT.compareAndSet(objects, (int) index, fresh, before); // it was newer, not older
    }
    return fresh;
  }

  /// Replaces the element at `index` by an object or null.
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

  private void write(long index, @Nullable T element) {
    Pso object = type().cast(element);
    boolean stays = object == null || object.container() == container();
    if (stays && foreign == null) {
      writeOwn(index, object);
    } else {
      writeBesideForeign(index, object, stays);
    }
  }

  @SuppressWarnings("ReferenceEquality") // it is this object that is kept, not one like it
  private void writeOwn(long index, @Nullable Pso object) {
    long stored = object == null ? 0 : object.offsetToStore();
    if (!elements().isKept()) {
      store(index, stored);
      return;
    }
    long before = load(index);
    Pso kept = lasting(object);
    Pso[] objects = known();
    objects[(int) index] = kept;
    store(index, stored);
    if (before != 0 && before != stored) {
      // Who is recovering what was there before takes its object out again if it sees the new
      // offset, and if it does not, its object is seen here.
      VarHandle.fullFence();
      if (objects[(int) index] != kept) {
        objects[(int) index] = kept;
      }
    }
  }

  /// Some elements are, or were, of another container. As in [Pso], the order of the two writes and
  /// the lock see to it that a reader finds the old element or the new one, and not the null that
  /// lies between.
  private void writeBesideForeign(long index, @Nullable Pso object, boolean stays) {
    if (!stays) {
      container().refuseForeign("an element of a list");
    }
    Pso[] others = foreign();
    synchronized (others) {
      if (stays && object != null) {
        writeOwn(index, object);
        others[(int) index] = null;
      } else {
        others[(int) index] = object;
        writeOwn(index, null);
      }
    }
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

  private Pso[] foreign() {
    Pso[] others = foreign;
    if (others == null) { // written by one thread at a time
      others = new Pso[array()];
      foreign = others;
    }
    return others;
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
  PsoCursor<T> visit(long from, long to) {
    if (hasVaryingSize(type())) {
      throw new IllegalStateException(
          "a cursor cannot stand for a %s: use get".formatted(type().getSimpleName()));
    }
    return new PsoCursor<>(this, from, to - from);
  }

  @Override
  long place(long index) {
    long stored = load(index);
    return stored == 0 ? 0 : check(stored);
  }

  private long check(long stored) {
    Region container = container();
    if (!elements().fits(container.home, stored)) {
      PsoBinding.require(elements().of(), container, stored, "a list's element");
    }
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
    Raw.LONG.setRelease(Raw.GLOBAL, masked() + ELEMENTS_AT + (index << 3), stored);
    Reference.reachabilityFence(this);
  }
}
