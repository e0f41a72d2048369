package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import org.jspecify.annotations.Nullable;

/// The right to make an object of one class at one place, which the specializer's constructor of a
/// [Pso] class takes. Only this package can make one, after it has checked the place for that
/// class.
public final class PsoBinding {
  final Class<?> type;

  /// The home that the object shares with others.
  final PsoHome home;

  /// The [bits][Raw#bits] of its address.
  final long bits;

  private PsoBinding(Class<?> type, PsoHome home, long bits) {
    this.type = type;
    this.home = home;
    this.bits = bits;
  }

  /// @param moves whether the object is a cursor's, or lies in one, and moves
  private PsoBinding(Class<?> type, Region container, long offset, boolean moves) {
    Region region = container.forObjects();
    this.type = type;
    this.home = moves ? region.movingHome : region.home;
    this.bits = Raw.bits(container.address + offset);
  }

  /// Checks an offset that came from a container's bytes, for an object of a class. What it is
  /// compared with is the capacity that Java knows, and not the header.
  ///
  /// @param where names the reference in the exception's message
  static PsoBinding check(PsoClass type, Region container, long offset, String where) {
    require(type, container, offset, where);
    return new PsoBinding(type.type(), container, offset, false);
  }

  /// The check alone, for who makes no object.
  static void require(PsoClass type, Region container, long offset, String where) {
    int sizeBytes = type.layout().sizeBytes();
    String fault = fault(container, offset, sizeBytes);
    if (fault != null) {
      throw container.unlessOutgrown(
          new CorruptReferenceException(
              "%s holds %d, where no %s of %d bytes can be: %s"
                  .formatted(where, offset, type.name(), sizeBytes, fault)));
    }
  }

  /// A place that was checked, or lies in one that was.
  static PsoBinding checked(PsoClass type, Region container, long offset) {
    return new PsoBinding(type.type(), container, offset, false);
  }

  /// A place that was checked, in the container of an object.
  ///
  /// @param home that object's
  static PsoBinding near(Class<?> type, PsoHome home, long bits) {
    return new PsoBinding(type, home.shared, bits);
  }

  /// The scratch area, which is larger than any object: where the object of a cursor begins, which
  /// a hand-written constructor might give to somebody before there is an element.
  static PsoBinding nowhere(PsoClass type, Region container) {
    return new PsoBinding(type.type(), container, Raw.SCRATCH - container.address, true);
  }

  /// The place of an object that lies in another one, at `at` behind its first byte. It follows
  /// from the other's address, as all else does that lies in an object: a cursor's lies in the
  /// scratch area until there is an element. It moves if the other does.
  static PsoBinding inside(PsoClass type, Pso holder, int at) {
    Region container = holder.container();
    long offset = holder.masked() - container.address + at;
    return new PsoBinding(type.type(), container, offset, holder.moves());
  }

  private static @Nullable String fault(Region container, long offset, int sizeBytes) {
    if (offset < 0 || offset > container.capacityBytes() - sizeBytes) {
      return "it is outside of the container's %d bytes".formatted(container.capacityBytes());
    }
    if (offset < container.firstOffset()) {
      return "it is inside of the container's header";
    }
    if ((offset & 7) != 0) {
      return "it is no multiple of eight";
    }
    return null;
  }
}
