package dev.tigris.memory;

import org.jspecify.annotations.Nullable;

/// An array of primitive elements in a container, to which a field refers if the length is known at
/// run time only (*PSOArray* in Welsh, MS thesis, Berkeley 1999, section 5.2). An array whose
/// length is part of the class is a field of its own, see [Capacity].
///
/// ```
///   offset   size
///        0      1   element type: the letter of its descriptor, such as I or J
///        1      7   -
///        8      8   length in elements
///       16    ...   the elements, little-endian
/// ```
///
/// The elements are reached through the view of their type, which is as fast as a Java array. Type
/// and length are checked when that view is first asked for, against the container's capacity. A
/// read of the reference that leads to the array looks whether they have changed; the array that a
/// program has kept, and its view, stay as they were.
///
/// Thread rule: plain memory, as for any object.
public final class PsoArray extends Pso {
  /// Where collections have theirs: a [Shape] says the same of all.
  private static final int ELEMENTS_AT = PsoCollection.ELEMENTS_AT;

  private byte letter;
  private long length;
  @HeapOnly private @Nullable View view;

  /// Makes an array of zeros.
  ///
  /// @throws IllegalArgumentException if the length is negative, or there is no view of the type,
  ///     which is so for booleans
  /// @throws ContainerFullException if the container has no room for it
  public PsoArray(Container container, Primitive element, long length) {
    super(container, bytes(element, length));
    this.letter = (byte) letter(element);
    this.length = length;
  }

  private static long bytes(Primitive element, long length) {
    if (length < 0 || length > Long.MAX_VALUE / 16) {
      throw new IllegalArgumentException("an array cannot have " + length + " elements");
    }
    if (element == Primitive.BOOLEAN) {
      throw new IllegalArgumentException("there is no view of booleans: use bytes");
    }
    return length * element.sizeBytes();
  }

  private static char letter(Primitive element) {
    return element.type().descriptorString().charAt(0);
  }

  /// Returns the number of elements.
  ///
  /// @throws CorruptReferenceException if it cannot be an array
  public long length() {
    return open().capacityBytes() / element().sizeBytes();
  }

  /// Returns the type of its elements.
  ///
  /// @throws CorruptReferenceException if it cannot be an array
  public Primitive element() {
    return switch (open()) {
      case Bytes _ -> Primitive.BYTE;
      case Shorts _ -> Primitive.SHORT;
      case Chars _ -> Primitive.CHAR;
      case Ints _ -> Primitive.INT;
      case Longs _ -> Primitive.LONG;
      case Floats _ -> Primitive.FLOAT;
      case Doubles _ -> Primitive.DOUBLE;
      case Region _ -> throw new IllegalStateException("there is no array of containers");
    };
  }

  private Primitive storedElement() {
    byte stored = letter;
    Primitive element = elementOf(stored);
    if (element == null) {
      throw new CorruptReferenceException("an array cannot have elements of the type " + stored);
    }
    return element;
  }

  /// What a stored letter means; null if nothing.
  static @Nullable Primitive elementOf(byte letter) {
    return switch (letter) { // a switch, since each read of a reference to an array asks
      case 'B' -> Primitive.BYTE;
      case 'S' -> Primitive.SHORT;
      case 'C' -> Primitive.CHAR;
      case 'I' -> Primitive.INT;
      case 'J' -> Primitive.LONG;
      case 'F' -> Primitive.FLOAT;
      case 'D' -> Primitive.DOUBLE;
      default -> null;
    };
  }

  /// Views the elements as bytes.
  ///
  /// @throws TypedException if they are of another type
  /// @throws CorruptReferenceException if this cannot be an array
  public Bytes asBytes() {
    return as(Bytes.class);
  }

  /// Views the elements as 16-bit integers; errors as for [#asBytes].
  public Shorts asShorts() {
    return as(Shorts.class);
  }

  /// Views the elements as UTF-16 units; errors as for [#asBytes].
  public Chars asChars() {
    return as(Chars.class);
  }

  /// Views the elements as 32-bit integers; errors as for [#asBytes].
  public Ints asInts() {
    return as(Ints.class);
  }

  /// Views the elements as 64-bit integers; errors as for [#asBytes].
  public Longs asLongs() {
    return as(Longs.class);
  }

  /// Views the elements as 32-bit floating point numbers; errors as for [#asBytes].
  public Floats asFloats() {
    return as(Floats.class);
  }

  /// Views the elements as 64-bit floating point numbers; errors as for [#asBytes].
  public Doubles asDoubles() {
    return as(Doubles.class);
  }

  private <V extends View> V as(Class<V> wanted) {
    View elements = open();
    if (!wanted.isInstance(elements)) {
      throw new TypedException(
          "this array holds %s, and cannot be viewed as %s"
              .formatted(elements.getClass().getSimpleName(), wanted.getSimpleName()));
    }
    return wanted.cast(elements);
  }

  /// Returns text about the stored values, even where they are damaged.
  @Override
  public String toString() {
    Primitive element = elementOf(letter);
    return "PsoArray[%d of %s]".formatted(length, element == null ? "something" : element.type());
  }

  /// Whether type and length are those of the view.
  @Override
  boolean isCurrent() {
    View known = view;
    if (known == null) {
      return true;
    }
    Primitive element = elementOf(letter);
    return element != null
        && View.of(element) == known.getClass()
        && known.capacityBytes() == length * element.sizeBytes();
  }

  /// Two threads may make two views, which are equal.
  private View open() {
    checkLease(this);
    View known = view;
    if (known == null) {
      requireConstructed();
      Primitive element = storedElement();
      long stored = length;
      long room = (container().capacityBytes() - offset() - ELEMENTS_AT) / element.sizeBytes();
      if (stored < 0 || stored > room) {
        throw container()
            .unlessOutgrown(
                new CorruptReferenceException(
                    "an array of %d elements cannot be where there is room for %d"
                        .formatted(stored, room)));
      }
      known = view(element, ELEMENTS_AT, stored * element.sizeBytes());
      view = known;
    }
    return known;
  }
}
