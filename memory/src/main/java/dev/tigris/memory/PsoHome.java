package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What a [Pso] lives in, and what few objects remember. Most remember none of that, and share the
/// home that their region has for them; one that does has a home of its own ([Pso] makes it then).
///
/// Its arrays are made when they are first needed, and two threads that need one at once get the
/// same. They are read plainly: what is in them is published by whoever puts it there, as
/// [Pso#publish] and the comments in [Pso] say, and an array or an object that was just made is
/// empty for whoever sees it.
final class PsoHome {
  private static final VarHandle FOREIGN;
  private static final VarHandle NESTED;
  private static final VarHandle NESTED_AT = MethodHandles.arrayElementVarHandle(Pso[].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FOREIGN = lookup.findVarHandle(PsoHome.class, "foreign", Pso[].class);
      NESTED = lookup.findVarHandle(PsoHome.class, "nested", Pso[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Region container;

  /// The distance of its first byte from [Raw#ORIGIN].
  final long distance;

  /// The lowest offset that an object can have there, and its size: what a stored reference is
  /// compared with, here so that reading one looks at nothing else.
  final long firstOffset;

  final long capacityBytes;

  /// The one that objects share there which remember nothing of their own and stay where they are.
  final PsoHome shared;

  /// Whether it is the home of a cursor's object, or of one that lies in it. These objects move.
  final boolean moves;

  /// By slot, the object of another container that a reference means while 0 is stored. Changed
  /// under the array's monitor.
  private Pso @Nullable [] foreign;

  /// By index, the Java objects for the objects that lie in this one.
  private Pso @Nullable [] nested;

  /// @param staying the one that is shared; null if this is it
  PsoHome(Region container, boolean moves, @Nullable PsoHome staying) {
    this.container = container;
    this.distance = container.address - Raw.ORIGIN;
    this.firstOffset = container.firstOffset();
    this.capacityBytes = container.capacityBytes();
    this.shared = staying == null ? this : staying;
    this.moves = moves;
  }

  /// Whether one object alone has it.
  boolean isOwn() {
    return this != container.home && this != container.movingHome;
  }

  /// Returns one of the same kind for one object alone.
  PsoHome own() {
    return new PsoHome(container, moves, shared);
  }

  /// Returns the home of a clone, which does not move. It has the objects that the clone refers to,
  /// but none in place: these belong to the place where the original is now.
  PsoHome forClone() {
    Pso[] slots = foreign;
    if (slots == null) {
      return container.home;
    }
    PsoHome copy = new PsoHome(container, false, shared);
    copy.foreign = slots.clone();
    return copy;
  }

  /// As [Pso#leave].
  void leave() {
    // Few objects have any, and writing a reference costs more than reading one.
    if (foreign != null) {
      foreign = null;
    }
    Pso[] inPlace = nested;
    if (inPlace != null) {
      leave(inPlace);
    }
  }

  private static void leave(Pso[] inPlace) {
    for (Pso each : inPlace) {
      if (each != null) {
        each.leave();
      }
    }
  }

  @Nullable Pso nested(int index) {
    Pso[] known = nested;
    return known == null ? null : known[index];
  }

  /// Keeps what stands for an object in place, unless another thread was first.
  ///
  /// @param count how many the object has
  /// @return the first one
  Pso keepNested(int index, Pso fresh, int count) {
    Pso[] known = nested;
    if (known == null) {
      Pso[] none = new Pso[count];
      Pso[] earlier = (Pso[]) NESTED.compareAndExchange(this, null, none);
      known = earlier == null ? none : earlier;
    }
    Pso earlier = (Pso) NESTED_AT.compareAndExchange(known, index, null, fresh);
    return earlier == null ? fresh : earlier;
  }

  Pso @Nullable [] foreign() {
    return foreign;
  }

  /// The same, made when there is none.
  Pso[] foreign(Pso holder) {
    Pso[] slots = (Pso[]) FOREIGN.getAcquire(this);
    if (slots == null) {
      slots = new Pso[PsoClass.of(holder.getClass()).layout().references().size()];
      Pso[] earlier = (Pso[]) FOREIGN.compareAndExchange(this, null, slots);
      slots = earlier == null ? slots : earlier;
    }
    return slots;
  }
}
