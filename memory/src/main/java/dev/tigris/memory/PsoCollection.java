package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Spliterator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
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
/// A table that has grown has another capacity: see [TableSegments].
///
/// A collection keeps where its elements lie. A read of the reference that leads to it, or of the
/// root, looks whether that is so still, since a container can get other bytes: those of the next
/// message, or of a process that clears a shared file and fills it again. A program that expects
/// this reads the collection anew each time. What it has kept itself, collections and cursors, goes
/// on where the bytes fit its places, and stands for what was there before otherwise.
///
/// The class of the elements is not stored. A field says it in its declaration,
/// `PsoList<Trade> trades`, and whoever opens a container says it for its root.
///
/// Thread rule: plain memory. One thread at a time adds elements.
public abstract sealed class PsoCollection<T extends Pso> extends Pso implements Iterable<T>
    permits PsoList, PsoTable {
  static final int ELEMENTS_AT = ObjectAccess.ELEMENTS_AT;

  static final MethodType GET_TYPE =
      MethodType.methodType(Pso.class, PsoCollection.class, long.class);

  private static final MethodHandle GET;
  private static final MethodHandle GET_PLAINLY;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      GET =
          lookup.findStatic(
              PsoCollection.class, "get", GET_TYPE.appendParameterTypes(PsoTarget.class));
      GET_PLAINLY =
          lookup.findVirtual(PsoCollection.class, "get", GET_TYPE.dropParameterTypes(0, 1));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private long size;
  private long capacity;

  /// What the elements are.
  @HeapOnly private @Nullable PsoTarget elements;

  /// The capacity as it was when it was checked; what is stored may change at any time.
  @HeapOnly private long room;

  /// How many elements lie behind the collection's own beginning: all, unless it is a table that
  /// has grown. It never changes.
  @HeapOnly private long firstRoom;

  PsoCollection(Container container, Class<T> type, long capacity, long strideBytes) {
    super(container, bytes(type, capacity, strideBytes));
    this.capacity = capacity;
    this.elements = PsoTarget.of(PsoClass.of(type));
    this.room = capacity;
    this.firstRoom = capacity;
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
  final boolean isOf(Class<? extends Pso> wanted) {
    PsoTarget known = elements;
    return known != null && known.type() == wanted;
  }

  /// Called once for a collection that was recovered, before anybody else sees it.
  ///
  /// @throws CorruptReferenceException if what is stored cannot be one
  final void open(Class<? extends Pso> type) {
    elements = PsoTarget.of(PsoClass.of(type));
    long stored = capacity;
    TableSegments behind = stored < 0 ? read(stored) : null;
    long first = behind == null ? stored : behind.firstIndex();
    long fits = (container().capacityBytes() - offset() - ELEMENTS_AT) / strideBytes();
    if (first < 0 || first > fits) {
      throw container()
          .unlessOutgrown(
              new CorruptReferenceException(
                  "a collection with room for %d elements cannot be where %d fit"
                      .formatted(first, fits)));
    }
    firstRoom = first;
    room = behind == null ? stored : behind.room;
    if (behind != null) {
      keep(behind);
    }
    publish();
  }

  /// Whether the elements are where they were when this was opened. Growth, by another thread or
  /// process, is followed. Anything else means that other bytes have taken the place of those that
  /// were checked, and the reader of the reference opens them anew.
  @Override
  final boolean isCurrent() {
    if (elements == null) {
      return true; // nothing was checked
    }
    long stored = capacity;
    return stored >= 0 ? stored == firstRoom && stored == room : follows(stored);
  }

  /// Whether segments are those that are known, or follow the first part that was checked: they are
  /// kept then.
  private boolean follows(long storedCapacity) {
    if (areKnown(-storedCapacity)) {
      return true;
    }
    TableSegments behind = read(storedCapacity);
    if (behind == null || behind.firstIndex() != firstRoom) {
      return false;
    }
    keep(behind);
    room = behind.room;
    return true;
  }

  /// Whether the segments are those that are known already.
  boolean areKnown(long firstSegment) {
    return false;
  }

  /// Reads the segments that a capacity below zero leads to.
  ///
  /// @return null if this collection can have none
  @Nullable TableSegments read(long storedCapacity) {
    return null;
  }

  /// Keeps segments that were checked.
  void keep(TableSegments read) {}

  /// Reads the segments again, if there are any: another thread or process may have added some.
  final void refresh() {
    long stored = capacity;
    TableSegments behind = stored < 0 ? read(stored) : null;
    if (behind != null) {
      if (behind.firstIndex() != firstRoom) {
        throw new CorruptReferenceException(
            "the first part of a table had %d elements, and cannot have %d now"
                .formatted(firstRoom, behind.firstIndex()));
      }
      keep(behind);
      room = behind.room;
    }
  }

  /// Returns how many elements lie behind the collection's own beginning.
  final long firstRoom() {
    return firstRoom;
  }

  /// Leads to the first segment, which whoever sees it finds complete.
  final void link(long segment) {
    VarHandle.releaseFence();
    capacity = -segment;
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

  @SuppressWarnings("unchecked") // whoever made or recovered it has said so
  final Class<T> type() {
    return (Class<T>) elements().type();
  }

  final PsoTarget elements() {
    PsoTarget known = elements;
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
    return stored < 0 || stored > room ? sizeOfGrown(stored) : stored;
  }

  private long sizeOfGrown(long stored) {
    type(); // one that nobody has opened has no room either
    refresh();
    if (stored < 0 || stored > room) {
      throw new CorruptReferenceException(
          "a collection with room for %d elements cannot have %d".formatted(room, stored));
    }
    return stored;
  }

  /// Returns the number of elements that there is room for. A table gets more when it is needed.
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
      refresh();
      if (index == room) {
        enlarge();
      }
    }
    return index;
  }

  /// Makes room for more elements.
  ///
  /// @throws ContainerFullException if that is not possible
  abstract void enlarge();

  final void sized(long elements) {
    size = elements;
  }

  /// Returns the element at `index`.
  ///
  /// @throws IndexOutOfBoundsException if there is none
  public abstract @Nullable T get(long index);

  /// [#get] as a function of a collection and an index, for code that expects elements of a class.
  static MethodHandle elementOf(Class<?> expected) {
    try {
      return MethodHandles.insertArguments(GET, 2, PsoClass.of(expected).target());
    } catch (IllegalArgumentException e) { // no class of objects, so that there can be no element
      return GET_PLAINLY;
    }
  }

  /// [#get] for code that expects elements of a class, and names it as a constant. With a constant
  /// C2 knows what makes the element, and leaves it out where it is used at once.
  @SuppressWarnings("UnusedMethod") // GET is it
  private static @Nullable Pso get(PsoCollection<?> of, long index, PsoTarget expected) {
    PsoTarget known = of.elements();
    if (known.type() != expected.type() || known.isKept()) {
      return of.get(index);
    }
    long place = of.place(of.checkIndex(index));
    if (place == 0) {
      return of.get(index);
    }
    Region container = of.container();
    return expected.make(container.home, Raw.bits(container.address + place));
  }

  /// Where the element at an index lies, which was checked, and is checked for an object of the
  /// elements' class; 0 for none.
  abstract long place(long index);

  /// The element at an index that was checked, or below a size that was.
  abstract @Nullable T element(long index);

  /// Returns a cursor before the first element, which visits all elements without making an object
  /// for each.
  public final PsoCursor<T> cursor() {
    return visit(0, size());
  }

  /// Returns a cursor that visits the elements from one index up to another, which is the first
  /// that it does not visit.
  ///
  /// @throws IndexOutOfBoundsException if they are not all there
  public final PsoCursor<T> cursor(long from, long to) {
    Objects.checkFromToIndex(from, to, size());
    return visit(from, to);
  }

  /// Returns cursors that divide the elements among them, so that as many threads can visit all
  /// elements, each with a cursor of its own. Those of the first cursor come first.
  ///
  /// @throws IllegalArgumentException if it is to be fewer than one
  public final List<PsoCursor<T>> cursors(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("elements cannot be divided among %d".formatted(count));
    }
    long size = size();
    List<PsoCursor<T>> parts = new ArrayList<>(count);
    long from = 0;
    for (int part = 0; part < count; part++) {
      long to = from + (size - from) / (count - part);
      parts.add(visit(from, to));
      from = to;
    }
    return parts;
  }

  /// A cursor over a range that was checked.
  abstract PsoCursor<T> visit(long from, long to);

  /// Iterates over the elements that are there now, in order. Each step makes an object; [#cursor]
  /// makes one for all.
  @Override
  public final Iterator<T> iterator() {
    return new PsoElements<>(this, 0, size());
  }

  /// Returns what [#stream] takes: the elements that are there now, in order.
  @Override
  public final Spliterator<T> spliterator() {
    return new PsoElements<>(this, 0, size());
  }

  /// Returns a stream of the elements that are there now, in order. Each is an object of its own,
  /// which the program may keep; a [#cursor] visits elements without making objects.
  public final Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /// Returns the same as a parallel stream. Threads may read one collection at once.
  public final Stream<T> parallelStream() {
    return StreamSupport.stream(spliterator(), true);
  }

  /// An object of the element's class at a place that was checked.
  @SuppressWarnings("unchecked") // it is made of that class
  final T bind(long place) {
    PsoClass target = elements().of();
    return (T) target.bind(PsoBinding.checked(target, container(), place));
  }

  /// Returns text about the stored values, even where they are damaged.
  @Override
  public final String toString() {
    PsoTarget known = elements;
    String what = known == null ? "something" : ObjectText.nameOf(known.type());
    return "%s[%d of %s, room for %d]".formatted(getClass().getSimpleName(), size, what, room);
  }

  final long checkIndex(long index) {
    return Objects.checkIndex(index, size());
  }
}
