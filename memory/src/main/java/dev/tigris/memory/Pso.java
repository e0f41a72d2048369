// Over 400 lines: what a reference means, and how it is recovered and written, is one protocol.
package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pre-serialized object. Its fields lie in a [Container], so that it is stored and sent as it is
/// (Welsh, MS thesis, Berkeley 1999, section 5).
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
/// **References** are stored as offsets. A read makes a Java object of the field's declared class,
/// without running its constructors. The compiler leaves that object out where it is used at once.
/// Each read makes another one, so `equals` and `hashCode` go by the place that an object stands
/// for, and `==` and `synchronized` mean nothing. (A class may have an `equals` of its own.) A
/// program that needs more marks the class with [Identity], or gives it a [HeapOnly] field. Later
/// reads then return the same Java object, or the one that was written, as long as the stored
/// offset is the same. (The object of a [PsoCursor] over the same container, which moves, is not
/// kept for them: they return another, which stays. They do so, too, for a collection or an array
/// whose bytes were replaced.)
///
/// A reference to an object of *another* container cannot be stored: the Java object that it was
/// assigned to keeps it, and all others see null. A container over a file, or one that was told to
/// ([Region#refuseForeignReferences]), refuses it instead.
///
/// An object holds its container, and with it the memory.
///
/// Thread rule: fields are plain memory, shared by whoever shares the container. Of a reference
/// that one thread writes while others read it, the object that was written may be forgotten, and
/// be recovered as another one without its `@HeapOnly` fields, unless the field is volatile.
public abstract class Pso {
  private static final VarHandle HOME;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HOME = lookup.findVarHandle(Pso.class, "home", PsoHome.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The [bits][Raw#bits] of the object's address, checked once, here. An object that was made
  /// without its constructor (serialization libraries do that) has 0, which stands for the scratch
  /// area. Changed by [PsoCursor] only, from one checked place to another.
  long bits;

  /// The container, and what few objects remember. Each field here costs every object its room in
  /// the cache, so one is for both. Null in an object that was made without its constructor.
  private PsoHome home;

  /// Makes a new object, all zero, in a container.
  ///
  /// @throws ContainerFullException if the container has no room for it
  /// @throws CorruptContainerException if the container's header is damaged
  /// @throws UnspecializedClassException if the class was not specialized
  protected Pso(Container container) {
    this(container, 0);
  }

  /// Makes an object of a specialized class, whose constructors the specializer lets call this one.
  ///
  /// With what is made as a constant, C2 knows the object's size and zeroes it by as many stores.
  ///
  /// @param made what [PsoLinkage#made] has returned to the class; anything else means nothing
  protected Pso(Container container, Object made) {
    long place =
        made instanceof PsoTarget known && known.type() == getClass()
            ? container.allocateKnown(known.sizeBytes())
            : container.allocate(container.made(getClass()).sizeBytes());
    PsoHome shared = container.forObjects().home;
    long bits = Raw.bits(container.address + place);
    this.home = shared;
    this.bits = bits;
    publish();
  }

  /// Makes a new object with `trailingBytes` more behind its fields, all zero.
  Pso(Container container, long trailingBytes) {
    PsoTarget type = container.made(getClass());
    long place = container.allocate(type.sizeBytes() + trailingBytes);
    PsoHome shared = container.forObjects().home;
    long bits = Raw.bits(container.address + place);
    // Nothing throws from here on: a finalizer would find an object with a container and no place.
    this.home = shared;
    this.bits = bits;
    publish();
  }

  /// Makes an object over bytes that are there already. Only the constructors of the specializer
  /// call this.
  ///
  /// @throws IllegalArgumentException if the binding was made for another class
  protected Pso(PsoBinding binding) {
    // A class could hand its binding on to a larger class, for which the place was not checked.
    if (binding.type != getClass()) {
      throw wrongBinding(binding, getClass());
    }
    this.home = binding.home;
    this.bits = binding.bits;
    publish();
  }

  private static IllegalArgumentException wrongBinding(PsoBinding binding, Class<?> type) {
    return new IllegalArgumentException(
        "a binding for %s cannot make a %s".formatted(binding.type.getName(), type.getName()));
  }

  /// Refuses an object that was made for another place. A class that is declared by hand has a
  /// hand-written constructor too, and references lead on from there without another check.
  final void requireAt(PsoBinding binding) {
    if (bits != binding.bits || container() != binding.home.container) {
      throw new IllegalStateException(
          "the constructor of %s for bindings made an object of another place"
              .formatted(binding.type.getName()));
    }
  }

  /// Whoever sees this object, however it came by it, sees where it lies: what the JVM promises for
  /// final fields, and not all of these are final. A reader that came too early for this would find
  /// 0, and so the scratch area and no container (jcstress: `PublishedObjectTest`).
  static void publish() {
    VarHandle.storeStoreFence();
  }

  /// What the object lives in; null if it was made without its constructor.
  @SuppressWarnings({"ConstantConditions", "NullAway"})
  final Region container() {
    PsoHome known = home;
    return known == null ? null : known.container;
  }

  /// Where the object lies in its container, which it must have.
  final long offset() {
    return address() - container().address;
  }

  /// Whether it lies at an offset in a container.
  final boolean isAt(Region container, long offset) {
    return address() == container.address + offset;
  }

  /// Whether what this object has found out about its bytes, and keeps, is so still. The bytes may
  /// be those of another message or of another process by now. Most objects keep nothing.
  boolean isCurrent() {
    return true;
  }

  /// Whether it can be handed out again for an offset in a container.
  final boolean isCurrentAt(Region container, long offset) {
    return isAt(container, offset) && isCurrent();
  }

  /// Whether it is a cursor's object, which moves.
  final boolean moves() {
    return home.moves;
  }

  /// Makes this object, which [PsoBinding#nowhere] was for, stand for another place of its
  /// container, which was checked for its class. References that were recovered stay: they are
  /// compared with what is stored.
  final void moveTo(long place) {
    bits = Raw.bits(container().address + place);
  }

  /// As [#moveTo], to a place that is so far from [Raw#ORIGIN].
  final void moveBy(long distance) {
    bits = Raw.bitsAt(distance);
  }

  /// Forgets what belongs to the place that this object is about to leave, and to no other.
  final void leave() {
    home.leave();
  }

  /// Makes another Java object for the same bytes, if the class is [Cloneable]. The clone of a
  /// cursor's object stays with its element when the cursor goes on.
  @Override
  protected Object clone() throws CloneNotSupportedException {
    Pso copy = (Pso) super.clone();
    if (copy.isConstructed()) {
      copy.home = copy.home.forClone();
    }
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
  static void checkLease(Pso object) {
    if (Lease.CHECKED && object.isConstructed()) {
      object.container().checkLease();
    }
  }

  /// What stands for an object that lies in this one.
  ///
  /// @param at the object's offset in this one
  static Pso nested(Pso holder, PsoTarget target, int index, int at) {
    if (target.isKept()) {
      return keptNested(holder, index, at);
    }
    holder.requireConstructed();
    return target.make(holder.home, Raw.bitsAt(Raw.distance(holder.bits) + at));
  }

  /// The same where it is the same object each time.
  private static Pso keptNested(Pso holder, int index, int at) {
    PsoHome known = holder.home;
    if (known != null && known.moves) {
      return nestedAlong(holder, known, index, at);
    }
    Pso nested = known == null ? null : known.nested(index);
    return nested == null ? holder.makeNested(index) : nested;
  }

  /// The same in an object that moves: it moves along, when it is asked for. This is a method of
  /// its own, as C2 plans for what has been called: in objects that stay, each first read calls
  /// [#makeNested], and here one does of all that the object moves to.
  private static Pso nestedAlong(Pso holder, PsoHome known, int index, int at) {
    Pso nested = known.nested(index);
    if (nested == null) {
      return holder.makeNested(index);
    }
    long bits = Raw.bitsAt(Raw.distance(holder.bits) + at);
    if (nested.bits != bits) {
      nested.leave();
    }
    nested.bits = bits;
    return nested;
  }

  private Pso makeNested(int index) {
    requireConstructed();
    List<PsoField> fields = PsoClass.of(getClass()).layout().nested();
    PsoField field = fields.get(index);
    PsoClass target = PsoClass.of(((FieldKind.Nested) field.kind()).type());
    Pso nested = target.bind(PsoBinding.inside(target, this, field.offset()));
    // Of several threads, all return the first one's.
    return ownHome().keepNested(index, nested, fields.size());
  }

  /// What a view of an array that lies in an object holds.
  static Lease lease(Pso holder) {
    holder.requireConstructed();
    return holder.home.container.lease;
  }

  /// A view of memory that belongs to this object, which the caller has made sure of.
  final View view(Primitive element, long at, long bytes) {
    return View.of(element, lease(this), address() + at, bytes);
  }

  /// Turns what a reference field holds into an object.
  ///
  /// @param stored what was read from the field, once: the memory may change at any time
  static @Nullable Pso recover(Pso holder, long stored, PsoSlot slot) {
    PsoTarget to = slot.to();
    if (to.isKept()) {
      return recoverKept(holder, stored, slot);
    }
    if (stored == 0) {
      return absent(holder, slot);
    }
    PsoHome home = holder.home;
    return home != null && to.fits(home, stored)
        ? to.make(home, Raw.bitsAt(home.distance + stored))
        : holder.makeAnew(stored, slot);
  }

  /// What a reference means in whose place 0 was read. That nothing is kept for it is asked here:
  /// every list ends so, and for the sake of a call in the loop that walks it C2 would keep the
  /// loop's variables in memory.
  private static @Nullable Pso absent(Pso holder, PsoSlot slot) {
    // Partner of the release in assignForeign: whoever sees the 0 written there sees the slot too,
    // and the two that lead to it.
    VarHandle.acquireFence();
    PsoHome home = holder.home;
    return home == null || home.foreign() == null ? null : holder.foreign(home, slot);
  }

  /// The same for objects that are remembered. The common case comes first, and is all that a
  /// caller has to inline: no object lies at the offset 0, which means null.
  private static @Nullable Pso recoverKept(Pso holder, long stored, PsoSlot slot) {
    Pso known = slot.known(holder);
    // None that is remembered lies at a stored 0: asking for that too took half as long again. And
    // an object that was made without its constructor remembers none.
    if (known != null
        && Raw.distance(known.bits) == holder.home.distance + stored
        && (!slot.to().keepsWhatItFound() || known.isCurrent())) {
      return known;
    }
    return stored == 0 ? absent(holder, slot) : holder.recoverAnew(stored, slot);
  }

  /// What a reference means in whose place 0 was read.
  private @Nullable Pso foreign(PsoHome home, PsoSlot slot) {
    Pso[] slots = home.foreign();
    if (slots == null) { // a cursor went on meanwhile
      return null;
    }
    Pso known = slots[slot.index()];
    if (known != null) {
      return known;
    }
    // Null was written, or an object of this container, between the two reads: look at both again.
    long stored;
    synchronized (slots) {
      stored = stored(slot);
      if (stored == 0) {
        return slots[slot.index()];
      }
    }
    return recover(this, stored, slot);
  }

  /// Makes the object that a reference leads to, or refuses what is stored.
  private Pso makeAnew(long stored, PsoSlot slot) {
    requireConstructed();
    PsoClass target = slot.to().of();
    Pso fresh = target.bind(PsoBinding.check(target, container(), stored, slot.where()));
    Class<? extends Pso> element = slot.element();
    if (fresh instanceof PsoCollection<?> collection && element != null) {
      collection.open(element);
    }
    return fresh;
  }

  @SuppressWarnings("ReferenceEquality") // which object is meant, whatever equals says
  private Pso recoverAnew(long stored, PsoSlot slot) {
    Pso fresh = makeAnew(stored, slot);
    Pso known = slot.known(this);
    if (known != null && known.isCurrentAt(container(), stored)) {
      return known;
    }
    // Of several threads that recover the same reference, all return the first one's object.
    Pso winner = slot.exchange(this, known, fresh);
    if (winner != known) {
      return winner != null && winner.isAt(container(), stored) ? winner : fresh;
    }
    if (known != null && stored(slot) != stored) {
      Pso _ = slot.exchange(this, fresh, known); // it was newer, not older: see keep
    }
    return fresh;
  }

  /// What is stored in a reference field now.
  private long stored(PsoSlot slot) {
    long at = PsoClass.of(getClass()).layout().references().get(slot.index()).offset();
    return (long) Raw.LONG.get(Raw.GLOBAL, address() + at);
  }

  /// Writes a reference field.
  ///
  /// @param at the field's offset in the object
  static void assign(Pso holder, @Nullable Pso value, PsoSlot slot, int at, boolean release) {
    holder.requireConstructed();
    boolean stays = value == null || value.container() == holder.container();
    if (!stays || holder.hasForeign()) {
      holder.assignForeign(value, stays, slot, at);
      return;
    }
    long stored = value == null ? 0 : value.offsetToStore();
    if (slot.to().isKept()) {
      holder.storeKept(value, stored, slot, at, release);
    } else {
      holder.store(at, stored, release);
    }
  }

  private void storeKept(@Nullable Pso value, long stored, PsoSlot slot, int at, boolean release) {
    Pso kept = lasting(value);
    slot.remember(this, kept);
    store(at, stored, release);
    if (release) {
      keep(kept, slot);
    }
  }

  /// Sees to it that what was written to a volatile field is remembered. Who is recovering what was
  /// there before takes its object out again if it sees the new offset, and if it does not, its
  /// object is seen here. Fields that are not volatile are spared the fence.
  @SuppressWarnings("ReferenceEquality") // which object is meant, whatever equals says
  private void keep(@Nullable Pso kept, PsoSlot slot) {
    VarHandle.fullFence();
    if (slot.known(this) != kept) {
      slot.remember(this, kept);
    }
  }

  /// What is remembered of an object that was written. Whoever sees it there sees where it lies, as
  /// whoever sees any object does ([#publish]).
  static @Nullable Pso lasting(@Nullable Pso value) {
    return value == null || value.moves() ? null : value;
  }

  /// The rare case: the object refers, or did refer, to an object of another container. The order
  /// of the two writes, and the lock, see to it that a reader finds the old object or the new one,
  /// and not the null that lies between (jcstress: `ForeignReferenceTest`).
  private void assignForeign(@Nullable Pso value, boolean stays, PsoSlot slot, int at) {
    if (!stays) {
      container().refuseForeign(slot.where());
    }
    Pso[] slots = ownHome().foreign(this);
    synchronized (slots) {
      if (stays && value != null) {
        long stored = value.offsetToStore();
        if (slot.to().isKept()) {
          storeKept(value, stored, slot, at, true);
        } else {
          store(at, stored, true);
        }
        slots[slot.index()] = null;
      } else {
        slots[slot.index()] = value;
        store(at, 0, true);
      }
    }
  }

  /// What refers to this object: its offset, which is 0 for none but the first of a raw container.
  final long offsetToStore() {
    long offset = offset();
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
    return home.foreign() != null;
  }

  /// What the object shares with nobody, made when it is first needed; two threads get the same.
  private PsoHome ownHome() {
    PsoHome known = (PsoHome) HOME.getAcquire(this);
    if (known.isOwn()) {
      return known;
    }
    PsoHome fresh = known.own();
    PsoHome earlier = (PsoHome) HOME.compareAndExchange(this, known, fresh);
    return earlier == known ? fresh : earlier;
  }

  /// Returns whether another object stands for the same bytes, whichever Java object does so. Of
  /// two objects of which one lies in the other, at its first byte, neither equals the other.
  ///
  /// An object of a class without fields, read where an object of a subclass lies, equals that
  /// object. No other object of the class lies at that place ([PsoLayout]), unless other programs
  /// write there.
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Pso object
            && object.bits == bits
            && bits != 0 // which all have that were made without their constructors
            && PsoClass.haveOnePlace(getClass(), object.getClass()));
  }

  /// Returns a hash code of the place that this object stands for. That of a cursor's object
  /// changes with the element.
  @Override
  public int hashCode() {
    return bits == 0 ? System.identityHashCode(this) : Raw.hashCode(bits);
  }

  /// Returns where the object lies and what is stored in it, for debuggers and logs, which find
  /// nothing in its Java fields: `Trade@64[id=7, symbol="TIG", next=Trade@128]`. References are not
  /// followed.
  @Override
  public String toString() {
    return ObjectText.of(this);
  }

  @SuppressWarnings("ConstantConditions")
  final boolean isConstructed() {
    return home != null;
  }

  final void requireConstructed() {
    if (!isConstructed()) {
      throw new IllegalStateException(
          "this %s was made without its constructor and lies in no container"
              .formatted(getClass().getName()));
    }
  }
}
