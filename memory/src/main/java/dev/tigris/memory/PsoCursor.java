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
  private final Region region;
  private final Class<T> type;

  /// What is visited if it is a list, where the place of each element has to be asked for.
  private final @Nullable PsoList<T> list;

  /// Elsewhere the elements begin here.
  private final long start;

  /// From one element to the next, if they lie one after the other.
  private final long strideBytes;

  /// How many there were when the cursor was made.
  private final long size;

  /// Which element this is; -1 at the beginning. A step reads it once and compares the sum with the
  /// end before it writes that: threads that step at once, against the rule, may repeat an element,
  /// and never get behind the last one.
  private long index = -1;

  private long place;
  private @Nullable T moving;

  /// Whether what stands for the object's parts moves along: known since there is an object.
  private boolean partsStay;

  /// Over objects that lie one after the other, which the caller has checked.
  PsoCursor(Region region, Class<T> type, long start, long strideBytes, long size) {
    this.region = region;
    this.type = type;
    this.list = null;
    this.start = start;
    this.strideBytes = strideBytes;
    this.size = size;
    // Made here and not by the first step, so that C2 sees one object in the whole loop and keeps
    // its place in a register.
    if (size > 0) {
      this.moving = bind(region, type, start);
      this.partsStay = partsStay(type);
    }
  }

  PsoCursor(PsoList<T> list, long size) {
    this.region = list.container;
    this.type = list.type();
    this.list = list;
    this.start = 0;
    this.strideBytes = 0;
    this.size = size;
  }

  /// Goes on to the next of the elements that were there when the cursor was made; false after the
  /// last one.
  ///
  /// @throws CorruptReferenceException if no element can be where the next one should be
  public boolean next() {
    long next = index + 1;
    if (next >= size) {
      return false;
    }
    index = next;
    long to = list == null ? start + next * strideBytes : list.place(next);
    place = to;
    // Where a list has null the object stays behind, and is not given out.
    if (list == null || to != 0) {
      T object = moving;
      if (object == null) {
        moving = bind(region, type, to);
        partsStay = partsStay(type);
      } else {
        object.moveTo(to, partsStay);
      }
    }
    return true;
  }

  /// Static, so that the compiler can keep a cursor in registers though it does not inline this.
  private static <T extends Pso> T bind(Region region, Class<T> type, long place) {
    PsoClass target = PsoClass.of(type);
    return type.cast(target.bind(PsoBinding.checked(target, region, place)));
  }

  private static boolean partsStay(Class<?> type) {
    return PsoClass.of(type).layout().hasOnlyTexts();
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
    T object = moving;
    if (object == null || index < 0 || object.offset != place) {
      throw new IllegalStateException("there is no element at " + index());
    }
    return object;
  }

  /// Whether there is an element: a list may have null in a place.
  public boolean isPresent() {
    return index >= 0 && (list == null || place != 0);
  }
}
