package dev.tigris.memory;

import org.jspecify.annotations.Nullable;

/// Visits the elements of a collection in order with one object that moves from one to the next.
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
  private final PsoCollection<T> collection;
  private final long size;

  /// In a table the elements lie so many bytes apart; 0 in a list, where each has to be asked for.
  private final long strideBytes;

  /// Where a table's elements begin.
  private final long start;

  private long index = -1;
  private long place;
  private @Nullable T moving;

  PsoCursor(PsoCollection<T> collection, long size) {
    this.collection = collection;
    this.size = size;
    boolean inOrder = collection instanceof PsoTable<?>;
    this.strideBytes = inOrder ? collection.strideBytes() : 0;
    this.start = inOrder ? collection.place(0) : 0;
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
    long to = strideBytes == 0 ? collection.place(next) : start + next * strideBytes;
    index = next;
    place = to;
    T object = moving;
    if (object == null || to == 0) {
      return first(to);
    }
    object.moveTo(to);
    return true;
  }

  /// At the first element, and where there is none.
  private boolean first(long to) {
    if (to != 0) {
      moving = collection.bind(to);
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
    return index >= 0 && place != 0;
  }
}
