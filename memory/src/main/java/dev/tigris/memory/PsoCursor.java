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
  private final long size;

  /// What is visited if it is a list, where the place of each element has to be asked for.
  private final @Nullable PsoList<T> list;

  /// Elsewhere the elements begin here, and lie so many bytes apart.
  private final long start;

  private final long strideBytes;

  private long index = -1;
  private long place;
  private @Nullable T moving;

  /// Over objects that lie one after the other, which the caller has checked.
  PsoCursor(Region region, Class<T> type, long start, long strideBytes, long size) {
    this.region = region;
    this.type = type;
    this.size = size;
    this.list = null;
    this.start = start;
    this.strideBytes = strideBytes;
  }

  PsoCursor(PsoList<T> list, long size) {
    this.region = list.container;
    this.type = list.type();
    this.size = size;
    this.list = list;
    this.start = 0;
    this.strideBytes = 0;
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
    // From the index that was checked just now, and from no field that another thread, against the
    // rule, may have moved on since.
    long to = list == null ? start + next * strideBytes : list.place(next);
    index = next;
    place = to;
    T object = moving;
    if (object == null) {
      return first(to);
    }
    // Where a list has null the object stays behind, and is not given out.
    if (list == null || to != 0) {
      object.moveTo(to);
    }
    return true;
  }

  private boolean first(long to) {
    if (list == null || to != 0) {
      PsoClass target = PsoClass.of(type);
      moving = type.cast(target.bind(PsoBinding.checked(target, region, to)));
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
    T object = moving;
    if (object == null || object.offset != place) {
      throw new IllegalStateException("there is no element at " + index);
    }
    return object;
  }

  /// Whether there is an element: a list may have null in a place.
  public boolean isPresent() {
    return index >= 0 && (list == null || place != 0);
  }
}
