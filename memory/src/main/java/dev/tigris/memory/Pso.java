package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.List;
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
/// those that use it; see [PsoLayout] for where the fields lie. Supported are the primitive types,
/// enums, references to subclasses of Pso, and what lies in the object itself: text ([Utf8]),
/// arrays ([Ints] and the other views, each with its [Capacity]) and other objects ([InPlace]).
/// `volatile` fields are read with acquire and written with release (jcstress: `VolatileFieldTest`,
/// `VolatileReferenceTest`).
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
  private static final VarHandle EXTRA;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FIRST = lookup.findVarHandle(Pso.class, "first", Pso.class);
      EXTRA = lookup.findVarHandle(Pso.class, "extra", PsoExtra.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The [bits][Raw#bits] of the object's address, checked once, here. An object that was made
  /// without its constructor (serialization libraries do that) has 0, which stands for the scratch
  /// area. Changed by [PsoCursor] only, from one checked place to another.
  long bits;

  final Region container;

  /// Where the object lies in its container. It could be computed from the address, but comparing
  /// it with what a reference field holds should take one load and not three.
  long offset;

  /// The object last written to or recovered from the reference of slot 0. Most classes have no
  /// more than that one, and following it is what lists and trees do all day.
  @SuppressWarnings("UnusedVariable") // through FIRST
  private @Nullable Pso first;

  /// What else the object remembers, made when it is first needed. Each field here costs every
  /// object its room in the cache, and most have nothing to put there.
  private @Nullable PsoExtra extra;

  /// Makes a new object, all zero, in a container.
  ///
  /// @throws ContainerFullException if the container has no room for it
  /// @throws UnspecializedClassException if the class was not specialized
  protected Pso(Container container) {
    this(container, 0);
  }

  /// Makes a new object with `trailingBytes` more behind its fields, all zero.
  Pso(Container container, long trailingBytes) {
    PsoClass type = PsoClass.of(getClass());
    type.requireSpecialized();
    long place = container.allocate(type.layout().sizeBytes() + trailingBytes);
    // Nothing throws from here on: a finalizer would find an object with a container and no place.
    this.container = container.forObjects();
    this.bits = Raw.bits(container.address + place);
    this.offset = place;
    publish();
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
    this.bits = Raw.bits(container.address + offset);
    publish();
  }

  /// Whoever sees this object, however it came by it, sees where it lies: what the JVM promises for
  /// final fields, which these two are but for cursors. A reader that came too early for this
  /// would find 0, and so the scratch area (jcstress: `PublishedObjectTest`).
  static void publish() {
    VarHandle.storeStoreFence();
  }

  /// Makes this object stand for another place of its container, which was checked for its class.
  /// References that were recovered stay: they are compared with what is stored.
  final void moveTo(long place) {
    bits = Raw.bits(container.address + place);
    offset = place;
  }

  /// Forgets what belongs to the place that this object is about to leave, and to no other.
  ///
  /// @param partsStay whether the class has no fields in place but texts, which ask this object
  ///     where it is
  final void leave(boolean partsStay) {
    PsoExtra known = extra;
    if (known != null) {
      known.leave(partsStay);
    }
  }

  /// Another Java object for the same bytes, where a class is [Cloneable]. Of a cursor's object it
  /// stays with its element when the cursor goes on.
  @Override
  protected Object clone() throws CloneNotSupportedException {
    Pso copy = (Pso) super.clone();
    PsoExtra known = copy.extra;
    copy.extra = known == null ? null : known.forClone();
    publish();
    return copy;
  }

  private long address() {
    return Raw.address(bits);
  }

  /// The object's address in the form in which C2 knows its range and alignment. The caller fences
  /// this object after the access.
  final long masked() {
    checkLease(this);
    return address();
  }

  /// With `-Dtigris.check=leases`, refuses an object whose memory is used for something else now.
  @SuppressWarnings("ConstantConditions") // an object made without its constructor has no container
  static void checkLease(Pso object) {
    if (Lease.CHECKED && object.container != null) {
      object.container.checkLease();
    }
  }

  /// What stands for a field that lies in the object itself: the same each time.
  static Object part(Pso holder, int index) {
    PsoExtra known = holder.extra;
    Object part = known == null ? null : known.part(index);
    return part == null ? holder.makePart(index) : part;
  }

  private Object makePart(int index) {
    requireConstructed();
    List<PsoField> fields = PsoClass.of(getClass()).layout().parts();
    // Of several threads, all return the first one's.
    return extra().keepPart(index, makePart(fields.get(index)), fields.size());
  }

  private Object makePart(PsoField field) {
    return switch (field.kind()) {
      case FieldKind.Text(int capacityBytes) -> new Utf8(this, field.offset(), capacityBytes);
      case FieldKind.Array(Primitive element, int length) ->
          view(element, field.offset(), (long) length * element.sizeBytes());
      case FieldKind.Nested(Class<? extends Pso> type, int _) -> {
        PsoClass target = PsoClass.of(type);
        yield target.bind(PsoBinding.inside(target, this, field.offset()));
      }
      case FieldKind.Value _, FieldKind.Constant _, FieldKind.Reference _ ->
          throw new IllegalStateException(field + " does not lie in the object");
    };
  }

  /// A view of memory that belongs to this object, which the caller has made sure of.
  final View view(Primitive element, long at, long bytes) {
    long start = address() + at;
    return switch (element) {
      case BOOLEAN -> throw new IllegalStateException("there is no view of booleans");
      case BYTE -> new Bytes(container.lease, start, bytes);
      case SHORT -> new Shorts(container.lease, start, bytes);
      case CHAR -> new Chars(container.lease, start, bytes);
      case INT -> new Ints(container.lease, start, bytes);
      case LONG -> new Longs(container.lease, start, bytes);
      case FLOAT -> new Floats(container.lease, start, bytes);
      case DOUBLE -> new Doubles(container.lease, start, bytes);
    };
  }

  /// Turns what a reference field holds into an object. The common case comes first, and is all
  /// that a caller has to inline: no object lies at the offset 0, which means null. That nothing is
  /// kept for it is asked here too: every list ends so, and for the sake of a call in the loop that
  /// walks it C2 would keep the loop's variables in memory.
  ///
  /// @param stored what was read from the field, once: the memory may change at any time
  static @Nullable Pso recover(Pso holder, long stored, int slot) {
    Pso known = holder.known(slot);
    if (known != null && known.offset == stored) {
      return known;
    }
    if (stored != 0) {
      return holder.recoverAnew(stored, slot);
    }
    // Partner of the release in assignForeign: whoever sees the 0 written there sees the slot too,
    // and the two that lead to it.
    VarHandle.acquireFence();
    PsoExtra extra = holder.extra;
    return extra == null || extra.foreign() == null ? null : holder.foreign(extra, slot);
  }

  private @Nullable Pso known(int slot) {
    if (slot == 0) {
      return first;
    }
    PsoExtra known = extra;
    return known == null ? null : known.recovered(slot);
  }

  /// What a reference means in whose place 0 was read.
  private @Nullable Pso foreign(PsoExtra extra, int slot) {
    Pso[] slots = extra.foreign();
    if (slots == null) { // a cursor went on meanwhile
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
      stored = (long) Raw.LONG.get(Raw.GLOBAL, address() + at);
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
    Class<? extends Pso> element = reference.element();
    if (fresh instanceof PsoCollection<?> collection && element != null) {
      collection.open(element);
    }

    Pso known = known(slot);
    if (known != null && known.offset == stored) {
      return known;
    }
    // Of several threads that recover the same reference, all return the first one's object.
    Pso winner =
        (Pso)
            (slot == 0
                ? FIRST.compareAndExchange(this, known, fresh)
                : extra().compareAndExchange(this, slot, known, fresh));
    return winner != null && winner != known && winner.offset == stored ? winner : fresh;
  }

  /// Remembers what was written. Partner of the plain reads in `known`: where an object lies is
  /// seen by whoever sees the object ([#publish]), so a reader needs no more.
  private void remember(int slot, @Nullable Pso value) {
    if (slot == 0) {
      FIRST.setRelease(this, value);
    } else if (value != null || extra != null) {
      extra().remember(this, slot, value);
    }
  }

  /// Writes a reference field.
  ///
  /// @param at the field's offset in the object
  static void assign(Pso holder, @Nullable Pso value, int slot, int at, boolean release) {
    holder.requireConstructed();
    boolean stays = value == null || value.container == holder.container;
    if (!stays || holder.hasForeign()) {
      holder.assignForeign(value, stays, slot, at);
      return;
    }
    long stored = value == null ? 0 : value.offsetToStore();
    holder.remember(slot, value);
    holder.store(at, stored, release);
  }

  /// The rare case: the object refers, or did refer, to an object of another container. The order
  /// of the two writes, and the lock, see to it that a reader finds the old object or the new one,
  /// and not the null that lies between.
  private void assignForeign(@Nullable Pso value, boolean stays, int slot, int at) {
    Pso[] slots = extra().foreign(this);
    synchronized (slots) {
      if (stays && value != null) {
        long stored = value.offsetToStore();
        remember(slot, value);
        store(at, stored, true);
        slots[slot] = null;
      } else {
        slots[slot] = value;
        store(at, 0, true);
      }
    }
  }

  /// What refers to this object: its offset, which is 0 for none but the first of a raw container.
  final long offsetToStore() {
    if (offset == 0) {
      throw new IllegalArgumentException(
          "the object at offset 0 of a raw container cannot be referred to: 0 means null");
    }
    return offset;
  }

  private void store(int at, long offset, boolean release) {
    long target = address() + at;
    if (release) {
      Raw.LONG.setRelease(Raw.GLOBAL, target, offset);
    } else {
      Raw.LONG.set(Raw.GLOBAL, target, offset);
    }
    Reference.reachabilityFence(this);
  }

  private boolean hasForeign() {
    PsoExtra known = extra;
    return known != null && known.foreign() != null;
  }

  /// What else the object remembers, made when it is first needed; two threads get the same.
  private PsoExtra extra() {
    PsoExtra known = (PsoExtra) EXTRA.getAcquire(this);
    if (known == null) {
      PsoExtra fresh = new PsoExtra();
      PsoExtra earlier = (PsoExtra) EXTRA.compareAndExchange(this, null, fresh);
      known = earlier == null ? fresh : earlier;
    }
    return known;
  }

  /// Where the object lies and what is stored in it, for debuggers and logs, which find nothing in
  /// its Java fields: `Trade@64[id=7, symbol="TIG", next=Trade@128]`. References are not followed.
  @Override
  public String toString() {
    return ObjectText.of(this);
  }

  @SuppressWarnings("ConstantConditions")
  final boolean isConstructed() {
    return container != null;
  }

  final void requireConstructed() {
    if (!isConstructed()) {
      throw new IllegalStateException(
          "this %s was made without its constructor and lies in no container"
              .formatted(getClass().getName()));
    }
  }
}
