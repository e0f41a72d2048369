package dev.tigris.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What a [Pso] lives in, and what it remembers beside its place and its first reference. Most
/// objects remember nothing more, and share the home that their region has for them; one that does
/// has a home of its own ([Pso] makes it then).
///
/// Its arrays are made when they are first needed, and two threads that need one at once get the
/// same. They are read plainly: what is in them is published by whoever puts it there, as
/// [Pso#publish] and the comments in [Pso] say, and an array or an object that was just made is
/// empty for whoever sees it.
final class PsoHome {
  private static final VarHandle RECOVERED;
  private static final VarHandle DISTANT;
  private static final VarHandle FOREIGN;
  private static final VarHandle PARTS;
  private static final VarHandle PART = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Pso[].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      RECOVERED = lookup.findVarHandle(PsoHome.class, "recovered", Pso[].class);
      DISTANT = lookup.findVarHandle(PsoHome.class, "distant", Pso[].class);
      FOREIGN = lookup.findVarHandle(PsoHome.class, "foreign", Pso[].class);
      PARTS = lookup.findVarHandle(PsoHome.class, "parts", Object[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Region container;

  /// By slot, the object last written to or recovered from a reference. Slot 0 is the object's own.
  private Pso @Nullable [] recovered;

  /// The same, of objects that do not know where they lie without computing it (`Pso.words`).
  private Pso @Nullable [] distant;

  /// By slot, the object of another container that a reference means while 0 is stored. Changed
  /// under the array's monitor.
  private Pso @Nullable [] foreign;

  /// By index, what stands for the texts, arrays and objects that lie in this one.
  private Object @Nullable [] parts;

  PsoHome(Region container) {
    this.container = container;
  }

  /// Whether one object has it for itself.
  boolean isOwn() {
    return this != container.home;
  }

  /// For a clone: what it refers to, and nothing that stands for a part, since that is of the place
  /// that the original is at now.
  PsoHome forClone() {
    if (!isOwn()) {
      return this;
    }
    PsoHome copy = new PsoHome(container);
    copy.recovered = copy(recovered);
    copy.distant = copy(distant);
    copy.foreign = copy(foreign);
    return copy;
  }

  private static Pso @Nullable [] copy(Pso @Nullable [] slots) {
    return slots == null ? null : slots.clone();
  }

  /// As [Pso#leave].
  void leave(boolean partsStay) {
    Object[] known = partsStay ? null : parts;
    if (known != null) {
      forget(known);
    }
    // Few objects have any, and writing a reference costs more than reading one.
    if (foreign != null) {
      foreign = null;
    }
  }

  /// Texts need not be made anew.
  private static void forget(@Nullable Object[] parts) {
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] != null && !(parts[i] instanceof Utf8)) {
        parts[i] = null;
      }
    }
  }

  @Nullable Object part(int index) {
    Object[] known = parts;
    return known == null ? null : known[index];
  }

  /// Keeps what stands for a part, unless another thread was first.
  ///
  /// @param count how many the object has
  /// @return the first one
  Object keepPart(int index, Object fresh, int count) {
    Object[] known = parts;
    if (known == null) {
      Object[] none = new Object[count];
      Object[] earlier = (Object[]) PARTS.compareAndExchange(this, null, none);
      known = earlier == null ? none : earlier;
    }
    Object earlier = PART.compareAndExchange(known, index, null, fresh);
    return earlier == null ? fresh : earlier;
  }

  @Nullable Pso recovered(int slot) {
    return at(recovered, slot);
  }

  @Nullable Pso distant(int slot) {
    return at(distant, slot);
  }

  private static @Nullable Pso at(Pso @Nullable [] slots, int slot) {
    return slots == null ? null : slots[slot];
  }

  /// Puts a recovered object in the place of another.
  ///
  /// @return the one that was there
  @Nullable Pso compareAndExchange(
      Pso holder, boolean isDistant, int slot, @Nullable Pso known, Pso fresh) {
    Pso[] slots = slots(isDistant ? DISTANT : RECOVERED, holder);
    return (Pso) SLOT.compareAndExchange(slots, slot, known, fresh);
  }

  /// As `Pso.remember`.
  void remember(Pso holder, int slot, @Nullable Pso value) {
    if (value != null || recovered != null) {
      SLOT.setRelease(slots(RECOVERED, holder), slot, value);
    }
  }

  /// As `Pso.remember`, of an object whose words are 0.
  void rememberDistant(Pso holder, int slot, @Nullable Pso value) {
    SLOT.setRelease(slots(DISTANT, holder), slot, value);
  }

  Pso @Nullable [] foreign() {
    return foreign;
  }

  /// The same, made when there is none.
  Pso[] foreign(Pso holder) {
    return slots(FOREIGN, holder);
  }

  private Pso[] slots(VarHandle which, Pso holder) {
    Pso[] slots = (Pso[]) which.getAcquire(this);
    if (slots == null) {
      slots = new Pso[PsoClass.of(holder.getClass()).layout().references().size()];
      Pso[] earlier = (Pso[]) which.compareAndExchange(this, null, slots);
      slots = earlier == null ? slots : earlier;
    }
    return slots;
  }
}
