package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/// A cursor, which visits the elements of a collection, or objects that lie one after the other,
/// with one object that moves from element to element.
///
/// ```java
/// for (PsoCursor<Trade> trades = table.cursor(); trades.next(); ) {
///   sum += trades.element().quantity;
/// }
/// ```
///
/// The object is valid until the next step: keep what it says, not the object. Texts that were read
/// from it move along with it. An array or an object in place is that of the element that it was
/// read from. Its [HeapOnly] fields are the Java object's: what was written there at one element is
/// found at the next. (An object in place that has such fields, an [Identity] or references is the
/// same Java object each time, too, and moves when it is read again.)
///
/// Thread rule: one thread. Others that use it all the same see elements of the collection, in no
/// order. Threads that visit one collection at once have a cursor each
/// ([PsoCollection#cursors]).
public final class PsoCursor<T extends Pso> {
  /// Up to where elements that lie one after the other are counted with an `int`. A loop over them
  /// is then unrolled, and what it costs is its instructions. With more data than caches hold it is
  /// the memory, and unrolled loops are slower, since a processor foresees what one instruction
  /// will read next, and not what eight of them will.
  static final long NEAR_BYTES = 32 << 20;

  static final MethodType ELEMENT_TYPE = MethodType.methodType(Pso.class, PsoCursor.class);

  private static final MethodHandle ELEMENT;

  static {
    try {
      ELEMENT =
          MethodHandles.lookup()
              .findVirtual(
                  PsoCursor.class, "element", MethodType.methodType(Pso.class, long.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The collection that is asked for the place of each element: a list, or a table whose elements
  /// lie in several parts. Null where the elements lie one after the other.
  private final @Nullable PsoCollection<T> list;

  /// Elsewhere the elements begin here.
  private final long start;

  /// The distance from one element to the next, if they lie one after the other.
  private final long strideBytes;

  /// Whether the elements lie one after the other, in at most [#NEAR_BYTES].
  private final boolean isNear;

  /// The distance of near elements from [Raw#ORIGIN].
  private final long firstDistance;

  /// The index of the first element that is visited.
  private final long base;

  /// How many are visited: of all that there were when the cursor was made.
  private final long size;

  /// The object that stands for one element after the other. It is made before the first step, so
  /// that C2 sees one object in the whole loop.
  private final T object;

  /// Which of the near elements this is, counted from [#base]; -1 at the beginning. A step reads it
  /// once and compares the sum with the end before it writes that, and whoever asks for the element
  /// reads it once: threads that step at once, against the rule, may repeat an element, and never
  /// get behind the last one.
  private int step = -1;

  /// The same of others.
  private long index = -1;

  /// Where the element of others lies, or the last one where a list has null. Another thread may
  /// see this before it is written first, so it begins with a place that does no harm.
  private long place;

  /// Whether the object has come to the element. Until then it is the last one's, and so is what it
  /// remembers.
  private boolean isThere;

  /// The object if there is an element, and null before the first step and where a list has null.
  /// Near elements are never null, so their steps write no reference: that costs more than a
  /// number.
  private @Nullable T current;

  /// Makes a cursor over objects that lie one after the other, which the caller has checked.
  PsoCursor(Region region, Class<T> type, long start, long strideBytes, long base, long size) {
    this.list = null;
    this.base = base;
    this.start = start;
    this.strideBytes = strideBytes;
    this.size = size;
    this.isNear = size <= NEAR_BYTES / Math.max(strideBytes, Long.BYTES);
    this.firstDistance = region.address + start - Raw.ORIGIN;
    this.object = nowhere(region, type);
    this.place = start;
  }

  /// Makes a cursor over elements whose places are asked for one by one.
  PsoCursor(PsoCollection<T> list, long base, long size) {
    this.list = list;
    this.base = base;
    this.start = 0;
    this.strideBytes = 0;
    this.size = size;
    this.isNear = false;
    this.firstDistance = 0;
    this.object = nowhere(list.container(), list.type());
    this.place = object.offset();
  }

  /// Static, so that the compiler can keep a cursor in registers though it does not inline this.
  private static <T extends Pso> T nowhere(Region region, Class<T> type) {
    PsoClass target = PsoClass.of(type);
    return type.cast(target.bind(PsoBinding.nowhere(target, region)));
  }

  /// Moves to the next of the elements that were there when the cursor was made, and returns false
  /// after the last one.
  ///
  /// The object stays where it is until somebody asks for the element. So a step writes to nothing
  /// but the cursor, and what [#element] writes to the object comes before the end of a loop's
  /// body: C2 then counts the loop, unrolls it, and moves the object once behind it.
  ///
  /// @throws CorruptReferenceException if no element can be where the next one should be
  public boolean next() {
    return isNear ? nextNear() : nextFar();
  }

  private boolean nextNear() {
    int next = step + 1;
    if (next >= (int) size) { // an int on both sides, for C2 to count
      return false;
    }
    step = next;
    isThere = false;
    return true;
  }

  private boolean nextFar() {
    long next = index + 1;
    if (next >= size) {
      return false;
    }
    comeTo(next);
    return true;
  }

  private void comeTo(long next) {
    index = next;
    isThere = false;
    long to = list == null ? start + next * strideBytes : list.place(base + next);
    if (list == null || to != 0) {
      place = to;
      current = object;
    } else {
      current = null;
    }
  }

  /// Moves to the element at an index of the collection. The next step goes to the one behind it.
  ///
  /// @throws IndexOutOfBoundsException if it is none of the elements that this cursor visits; the
  ///     cursor stays where it is then
  /// @throws CorruptReferenceException if no element can be there
  public void seek(long index) {
    long at = index - base;
    if (at < 0 || at >= size) {
      throw new IndexOutOfBoundsException(
          "this cursor visits the elements from %d up to %d, not %d"
              .formatted(base, base + size, index));
    }
    if (isNear) {
      step = (int) at;
      isThere = false;
    } else {
      comeTo(at);
    }
  }

  /// Moves back to before the first element. A caller that visits the elements again and again
  /// needs one cursor, and so one object.
  public void restart() {
    step = -1;
    index = -1;
    current = null;
  }

  /// Returns the index in the collection of the element that the cursor is at. Before the first
  /// step that is the index before the first element: -1 for all elements.
  public long index() {
    return base + (isNear ? step : index);
  }

  /// Returns the element that the cursor is at.
  ///
  /// @throws IllegalStateException if it is at none: before the first step, or where a list has
  ///     null
  public T element() {
    return element(strideBytes);
  }

  /// The same for code that expects the elements to lie so far from one another, and names a
  /// constant. With a constant C2 addresses all elements of an unrolled loop by one register, and
  /// otherwise it computes an address for each.
  private T element(long expectedStrideBytes) {
    return isNear ? nearElement(expectedStrideBytes) : farElement();
  }

  private T nearElement(long expectedStrideBytes) {
    int at = step;
    if (at < 0) {
      throw noElement();
    }
    if (!isThere) {
      object.leave();
      isThere = true;
    }
    long stride = expectedStrideBytes == strideBytes ? expectedStrideBytes : strideBytes;
    object.moveBy((firstDistance & Raw.DISTANCE_MASK) + at * stride);
    return object;
  }

  private T farElement() {
    T element = current;
    if (element == null) {
      throw noElement();
    }
    if (!isThere) {
      element.leave();
      isThere = true;
    }
    element.moveTo(place);
    return element;
  }

  private IllegalStateException noElement() {
    return new IllegalStateException("there is no element at " + index());
  }

  /// [#element] as a function of the cursor, for code that expects elements of a class.
  static MethodHandle elementOf(Class<?> expected) {
    return MethodHandles.insertArguments(ELEMENT, 1, strideBytes(expected));
  }

  /// How far objects of a class lie from one another; 0 if there can be none.
  private static long strideBytes(Class<?> type) {
    try {
      return PsoClass.of(type).layout().sizeBytes();
    } catch (RuntimeException | LinkageError e) {
      return 0; // no class of objects, or one without a layout: whoever makes one is told why
    }
  }

  /// Returns whether the cursor is at an element. A list may have null in its place.
  public boolean isPresent() {
    return isNear ? step >= 0 : current != null;
  }
}
