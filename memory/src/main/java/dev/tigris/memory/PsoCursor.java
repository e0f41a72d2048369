package dev.tigris.memory;

import org.jspecify.annotations.Nullable;

/// Visits the elements of a collection, or objects that lie one after the other, in order with one
/// object that moves from one to the next.
///
/// ```java
/// for (PsoCursor<Trade> trades = table.cursor(); trades.next(); ) {
///   sum += trades.element().quantity;
/// }
/// ```
///
/// The object is valid until the next step: keep what it says, not the object. Texts that were read
/// from it move along with it; arrays and objects in place are those of the element that they were
/// read from.
///
/// Thread rule: one thread. Others that use it all the same see elements of the collection, in no
/// order.
public final class PsoCursor<T extends Pso> {
  /// What is visited if it is a list, where the place of each element has to be asked for.
  private final @Nullable PsoList<T> list;

  /// Elsewhere the elements begin here.
  private final long start;

  /// From one element to the next, if they lie one after the other.
  private final long strideBytes;

  /// How many there were when the cursor was made.
  private final long size;

  /// The object that stands for one element after the other. It is made before the first step, so
  /// that C2 sees one object in the whole loop.
  private final T object;

  /// Whether what stands for the object's parts moves along.
  private final boolean partsStay;

  /// Which element this is; -1 at the beginning. A step reads it once and compares the sum with the
  /// end before it writes that: threads that step at once, against the rule, may repeat an element,
  /// and never get behind the last one.
  private long index = -1;

  /// Where the element lies, or the last one where a list has null. Another thread may see this
  /// before it is written first, so it begins with a place that does no harm.
  private long place;

  /// The object if there is an element, and null before the first step and where a list has null.
  private @Nullable T current;

  /// Over objects that lie one after the other, which the caller has checked.
  PsoCursor(Region region, Class<T> type, long start, long strideBytes, long size) {
    this.list = null;
    this.start = start;
    this.strideBytes = strideBytes;
    this.size = size;
    this.object = nowhere(region, type);
    this.partsStay = partsStay(type);
    this.place = start;
  }

  PsoCursor(PsoList<T> list, long size) {
    this.list = list;
    this.start = 0;
    this.strideBytes = 0;
    this.size = size;
    this.object = nowhere(list.container(), list.type());
    this.partsStay = partsStay(list.type());
    this.place = object.offset();
  }

  /// Static, so that the compiler can keep a cursor in registers though it does not inline this.
  private static <T extends Pso> T nowhere(Region region, Class<T> type) {
    PsoClass target = PsoClass.of(type);
    return type.cast(target.bind(PsoBinding.nowhere(target, region)));
  }

  private static boolean partsStay(Class<?> type) {
    return PsoClass.of(type).layout().hasOnlyTexts();
  }

  /// Goes on to the next of the elements that were there when the cursor was made; false after the
  /// last one.
  ///
  /// The object stays where it is until somebody asks for the element. So a step writes to nothing
  /// but the cursor, and what [#element] writes to the object comes before the end of a loop's
  /// body: C2 then counts the loop, unrolls it, and moves the object once behind it.
  ///
  /// @throws CorruptReferenceException if no element can be where the next one should be
  public boolean next() {
    long next = index + 1;
    if (next >= size) {
      return false;
    }
    index = next;
    object.leave(partsStay);
    long to = list == null ? start + next * strideBytes : list.place(next);
    if (list == null || to != 0) {
      place = to;
      current = object;
    } else {
      current = null;
    }
    return true;
  }

  /// Where the cursor is: 0 at the first element.
  public long index() {
    return index;
  }

  /// The element that the cursor is at.
  ///
  /// @throws IllegalStateException if it is at none: before the first step, or where a list has
  ///     null
  public T element() {
    T element = current;
    if (element == null) {
      throw new IllegalStateException("there is no element at " + index());
    }
    element.moveTo(place);
    return element;
  }

  /// Whether there is an element: a list may have null in a place.
  public boolean isPresent() {
    return current != null;
  }
}
