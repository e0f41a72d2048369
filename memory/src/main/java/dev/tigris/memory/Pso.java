package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/// A pre-serialized object: its fields lie in a [Container], so that it is stored and sent as it is
/// (Welsh's thesis, section 5).
///
/// ```java
/// public class Trade extends Pso {
///   public long id;
///   public int quantity;
///   public Trade next;                 // a reference inside the container
///   @HeapOnly String note;             // stays in the Java object
///
///   public Trade(Container container) {
///     super(container);
///   }
/// }
/// ```
///
/// It is used as any object, `trade.quantity = 5`, once the specializer has rewritten its class and
/// those that use it; see [PsoLayout] for where the fields lie. Supported are the primitive types
/// and references to subclasses of Pso; `volatile` fields are read with acquire and written with
/// release.
///
/// **References** are stored as offsets. The first read makes an object of the field's declared
/// class, without running its constructors; later reads return the same object as long as the
/// stored offset is the same. A reference to an object of *another* container cannot be stored:
/// this Java object keeps it for itself, and everybody else sees null.
///
/// Two objects may stand for the same bytes; `equals` and `hashCode` are those of the Java object.
/// An object holds its container, and with it the memory.
///
/// Thread rule: fields are plain memory, shared by whoever shares the container.
public abstract class Pso {
  private static final VarHandle FIRST;
  private static final VarHandle RECOVERED;
  private static final VarHandle FOREIGN;
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Pso[].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FIRST = lookup.findVarHandle(Pso.class, "first", Pso.class);
      RECOVERED = lookup.findVarHandle(Pso.class, "recovered", Pso[].class);
      FOREIGN = lookup.findVarHandle(Pso.class, "foreign", Pso[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The object's address XOR [Raw#SCRATCH], checked once, here. An object that was made without
  /// its constructor (serialization libraries do that) has 0, which is the address of the scratch
  /// area.
  final long bits;

  final Container container;

  /// Where the object lies in its container. It could be computed from the address, but comparing
  /// it with what a reference field holds should take one load and not three.
  final long offset;

  /// The object last written to or recovered from the reference of slot 0. Most classes have no
  /// more than that one, and following it is what lists and trees do all day.
  @SuppressWarnings("UnusedVariable") // through FIRST
  private @Nullable Pso first;

  /// The same for the other slots, by slot.
  @SuppressWarnings("UnusedVariable") // through RECOVERED
  private Pso @Nullable [] recovered;

  /// By slot, the object of another container that a reference means while 0 is stored. Changed
  /// under the array's monitor.
  @SuppressWarnings("UnusedVariable") // through FOREIGN
  private Pso @Nullable [] foreign;

  /// Makes a new object, all zero, in a container.
  ///
  /// @throws ContainerFullException if the container has no room for it
  /// @throws UnspecializedClassException if the class was not specialized
  protected Pso(Container container) {
    PsoClass type = PsoClass.of(getClass());
    type.requireSpecialized();
    this.container = container;
    this.offset = container.allocate(type.layout().sizeBytes());
    this.bits = (container.address + offset) ^ Raw.SCRATCH;
  }

  /// Makes an object over bytes that are there already. Called by the specializer's constructors
  /// only.
  ///
  /// @throws IllegalArgumentException if the binding was made for another class
  protected Pso(PsoBinding binding) {
    // A class could hand its binding on to a larger class, for which the place was not checked.
    if (binding.type != getClass()) {
      throw new IllegalArgumentException(
          "a binding for %s cannot make a %s"
              .formatted(binding.type.getName(), getClass().getName()));
    }
    this.container = binding.container;
    this.offset = binding.offset;
    this.bits = (container.address + offset) ^ Raw.SCRATCH;
  }

  private long address() {
    return bits ^ Raw.SCRATCH;
  }

  /// Turns what a reference field holds into an object. The common case comes first, and is all
  /// that a caller has to inline: no object lies at the offset 0, which means null.
  ///
  /// @param stored what was read from the field, once: the memory may change at any time
  static @Nullable Pso recover(Pso holder, long stored, int slot) {
    Pso known = holder.known(slot);
    if (known != null && known.offset == stored) {
      return known;
    }
    return stored == 0 ? holder.foreign(slot) : holder.recoverAnew(stored, slot);
  }

  private @Nullable Pso known(int slot) {
    if (slot == 0) {
      return first;
    }
    Pso[] slots = recovered;
    return slots == null ? null : slots[slot];
  }

  /// What a reference means in whose place 0 was read.
  private @Nullable Pso foreign(int slot) {
    // Partner of the release in assignForeign: whoever sees the 0 written there sees the slot too.
    VarHandle.acquireFence();
    Pso[] slots = foreign;
    if (slots == null) {
      return null;
    }
    Pso known = slots[slot];
    if (known != null) {
      return known;
    }
    // Null was written, or an object of this container, between the two reads: look at both again.
    long stored;
    synchronized (slots) {
      long at = PsoClass.of(getClass()).layout().references().get(slot).offset();
      stored = (long) Raw.LONG.get(Raw.GLOBAL, (address() & Raw.ADDRESS_MASK) + at);
      if (stored == 0) {
        return slots[slot];
      }
    }
    return recover(this, stored, slot);
  }

  @SuppressWarnings("ReferenceEquality") // which object is meant, whatever equals says
  private Pso recoverAnew(long stored, int slot) {
    requireConstructed();
    PsoClass.Slot reference = PsoClass.of(getClass()).slot(slot);
    PsoClass target = reference.target();
    Pso fresh = target.bind(PsoBinding.check(target, container, stored, reference.where()));

    Pso known = known(slot);
    if (known != null && known.offset == stored) {
      return known;
    }
    // Of several threads that recover the same reference, all return the first one's object.
    Pso winner =
        (Pso)
            (slot == 0
                ? FIRST.compareAndExchange(this, known, fresh)
                : SLOT.compareAndExchange(slots(RECOVERED), slot, known, fresh));
    return winner != null && winner != known && winner.offset == stored ? winner : fresh;
  }

  /// Remembers what was written. Partner of the plain reads in `known`: an object's final fields
  /// are seen by whoever sees the object, so a reader needs no more.
  private void remember(int slot, @Nullable Pso value) {
    if (slot == 0) {
      FIRST.setRelease(this, value);
    } else if (value != null || recovered != null) {
      SLOT.setRelease(slots(RECOVERED), slot, value);
    }
  }

  /// Writes a reference field.
  ///
  /// @param at the field's offset in the object
  static void assign(Pso holder, @Nullable Pso value, int slot, int at, boolean release) {
    holder.requireConstructed();
    boolean stays = value == null || value.container == holder.container;
    if (!stays || holder.foreign != null) {
      holder.assignForeign(value, stays, slot, at);
      return;
    }
    holder.remember(slot, value);
    holder.store(at, value == null ? 0 : value.offset, release);
  }

  /// The rare case: the object refers, or did refer, to an object of another container. The order
  /// of the two writes, and the lock, see to it that a reader finds the old object or the new one,
  /// and not the null that lies between.
  private void assignForeign(@Nullable Pso value, boolean stays, int slot, int at) {
    Pso[] slots = slots(FOREIGN);
    synchronized (slots) {
      if (stays && value != null) {
        remember(slot, value);
        store(at, value.offset, true);
        slots[slot] = null;
      } else {
        slots[slot] = value;
        store(at, 0, true);
      }
    }
  }

  private void store(int at, long offset, boolean release) {
    long target = (address() & Raw.ADDRESS_MASK) + at;
    if (release) {
      Raw.LONG.setRelease(Raw.GLOBAL, target, offset);
    } else {
      Raw.LONG.set(Raw.GLOBAL, target, offset);
    }
    Reference.reachabilityFence(this);
  }

  /// One of the two arrays, made when it is first needed; two threads get the same one.
  private Pso[] slots(VarHandle which) {
    Pso[] slots = (Pso[]) which.getAcquire(this);
    if (slots == null) {
      slots = new Pso[PsoClass.of(getClass()).layout().references().size()];
      Pso[] earlier = (Pso[]) which.compareAndExchange(this, null, slots);
      slots = earlier == null ? slots : earlier;
    }
    return slots;
  }

  @SuppressWarnings("ConstantConditions")
  private void requireConstructed() {
    if (container == null) {
      throw new IllegalStateException(
          "this %s was made without its constructor and lies in no container"
              .formatted(getClass().getName()));
    }
  }
}
