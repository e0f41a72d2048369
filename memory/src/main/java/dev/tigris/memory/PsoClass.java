package dev.tigris.memory;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What this module knows of one class of objects. It is kept with the class, so that both are
/// unloaded together.
///
/// Thread rule: any thread. What is computed on demand may be computed twice: a layout could then
/// differ, and the first one is everybody's; the rest follows from it.
final class PsoClass {
  private static final ClassValue<PsoClass> KNOWN =
      new ClassValue<>() {
        @Override
        protected PsoClass computeValue(Class<?> type) {
          return new PsoClass(type);
        }
      };

  private static final MethodType BINDING_CONSTRUCTOR =
      MethodType.methodType(void.class, PsoBinding.class);

  private final Class<?> type;

  /// What the class gave when it declared itself.
  private volatile @Nullable Lookup lookup;

  private volatile @Nullable PsoLayout layout;
  private volatile PsoSlot @Nullable [] slots;
  private volatile @Nullable Accessors accessors;
  private volatile @Nullable Function<PsoBinding, Pso> binder;
  private volatile @Nullable PsoTarget target;
  private @Nullable MethodHandle maker;

  /// Whether this class and all its superclasses have declared themselves.
  private volatile boolean specialized;

  private PsoClass(Class<?> type) {
    if (!Pso.class.isAssignableFrom(type) || type == Pso.class) {
      throw new IllegalArgumentException(type.getName() + " is no subclass of Pso");
    }
    this.type = type;
  }

  static PsoClass of(Class<?> type) {
    return KNOWN.get(type);
  }

  /// Refuses a class that no object can be recovered as.
  ///
  /// @throws IllegalArgumentException if it is abstract
  void requireConcrete() {
    if (Modifier.isAbstract(type.getModifiers())) {
      throw new IllegalArgumentException(
          "%s is abstract, so that an object cannot be recovered as one: name a class that is not"
              .formatted(type.getName()));
    }
  }

  void declare(Lookup own) {
    lookup = own;
  }

  private Lookup own() {
    Lookup known = lookup;
    if (known == null) {
      throw new UnspecializedClassException(type);
    }
    return known;
  }

  Class<?> type() {
    return type;
  }

  String name() {
    return type.getName();
  }

  PsoLayout layout() {
    PsoLayout known = layout;
    if (known == null) {
      PsoLayout derived = PsoLayout.derive(type);
      // The class loader is asked for annotations, and might not say the same each time: objects
      // and accessors must not disagree, so the first one stays.
      synchronized (this) {
        known = layout == null ? derived : layout;
        layout = known;
      }
    }
    return known;
  }

  /// The reference of an object of this class that has this slot. The class has declared itself.
  PsoSlot slot(int index) {
    PsoSlot[] known = slots;
    if (known == null) {
      List<PsoField> references = layout().references();
      known = new PsoSlot[references.size()];
      for (int each = 0; each < known.length; each++) {
        PsoField reference = references.get(each);
        known[each] = PsoSlot.of(each, reference, of(reference.declaringClass()).own());
      }
      slots = known;
    }
    return known[index];
  }

  /// The accessors of the fields that this class declares: those of whoever is first.
  Accessors accessors() {
    Accessors known = accessors;
    if (known == null) {
      // Not under the lock: this may ask a class loader for the types of an enum's fields, and that
      // may use objects, or wait for a thread that does.
      Accessors compiled = Accessors.of(layout());
      synchronized (this) {
        known = accessors == null ? compiled : accessors;
        accessors = known;
      }
    }
    return known;
  }

  /// What a constant's field of an enum has now: null while its constructor has not returned. The
  /// class declares a field of that enum, and sees it.
  @Nullable Enum<?> constant(Class<?> type, String name) {
    try {
      return (Enum<?>) own().findStaticVarHandle(type, name, type).get();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "%s has a field of %s, and cannot see it".formatted(name(), type.getName()), e);
    }
  }

  /// Refuses a class that the specializer has not rewritten.
  void requireSpecialized() {
    if (specialized) {
      return;
    }
    for (Class<?> at = type; at != Pso.class; at = at.getSuperclass()) {
      of(at).own();
    }
    layout().references().forEach(PsoSlot::requireMemory);
    PlainAccess.refuse(type, layout());
    specialized = true;
  }

  /// Makes an object over bytes that are there already, without running its own constructors.
  Pso bind(PsoBinding binding) {
    Pso made = binder().apply(binding);
    made.requireAt(binding);
    return made;
  }

  /// Makes objects for who has it as a constant: `(PsoBinding)Pso`.
  synchronized MethodHandle maker() {
    MethodHandle known = maker;
    if (known == null) {
      known = new Maker(this).dynamicInvoker();
      maker = known;
    }
    return known;
  }

  /// What references to objects of this class lead to. A class that cannot say yet how its objects
  /// lie is asked again by each reader, and says why when there is something to recover.
  PsoTarget target() {
    PsoTarget known = target;
    if (known == null) {
      PsoLayout ready;
      try {
        ready = layout();
      } catch (RuntimeException | LinkageError _) {
        return new PsoTarget(this, type, Long.MAX_VALUE, false, maker());
      }
      known = new PsoTarget(this, type, ready.sizeBytes(), ready.hasIdentity(), maker());
      target = known;
    }
    return known;
  }

  /// What objects of this class are, if that can be said. Otherwise another object, and the caller
  /// that makes one is told why.
  Object made() {
    try {
      requireSpecialized();
      PsoTarget known = target();
      return known.sizeBytes() <= PsoLayout.MAX_BYTES ? known : type;
    } catch (RuntimeException | LinkageError _) {
      return type;
    }
  }

  /// Whether objects of two classes that lie at one address are one object: their first field is.
  /// An object that lies in another one, at its first byte, has another first field. A class
  /// without fields says nothing of where its objects end, so that one of it is an object of a
  /// subclass. (None lies in an object of its subclasses at the first byte: [PsoLayout] sees to
  // it.)
  static boolean haveOnePlace(Class<?> one, Class<?> other) {
    return one == other
        || of(one).layout().firstClass() == of(other).layout().firstClass()
        || isBare(one, other)
        || isBare(other, one);
  }

  /// Whether one class is another's superclass, and has no fields.
  private static boolean isBare(Class<?> upper, Class<?> lower) {
    return upper.isAssignableFrom(lower) && of(upper).layout().fields().isEmpty();
  }

  /// Calls the constructor for bindings, which cannot be found before the class is initialized. A
  /// reference that is null does not initialize it, as in Java: so the first call looks.
  private static final class Maker extends MutableCallSite {
    private static final MethodType TYPE = MethodType.methodType(Pso.class, PsoBinding.class);
    private static final MethodHandle FIRST;

    static {
      try {
        FIRST = MethodHandles.lookup().findVirtual(Maker.class, "first", TYPE);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private final PsoClass of;

    Maker(PsoClass of) {
      super(TYPE);
      this.of = of;
      setTarget(FIRST.bindTo(this));
    }

    @SuppressWarnings("UnusedMethod") // FIRST is it
    Pso first(PsoBinding binding) throws ReflectiveOperationException {
      Pso made = of.bind(binding);
      setTarget(of.own().findConstructor(of.type, BINDING_CONSTRUCTOR).asType(TYPE));
      return made;
    }
  }

  /// Says `new Type(binding)`. A method handle would do too, but C2 inlines the call of a hidden
  /// class where it meets few of them, and need not make the object if nobody keeps it.
  private Function<PsoBinding, Pso> binder() {
    Function<PsoBinding, Pso> known = binder;
    if (known == null) {
      known = makeBinder();
      binder = known;
    }
    return known;
  }

  @SuppressWarnings("unchecked") // what the metafactory makes is what its arguments say
  private Function<PsoBinding, Pso> makeBinder() {
    requireConcrete();
    try {
      if (lookup == null) {
        // It declares itself when it is initialized, which a reference to it does not cause.
        Class.forName(type.getName(), true, type.getClassLoader());
      }
      requireSpecialized();
      Lookup own = own();
      return (Function<PsoBinding, Pso>)
          LambdaMetafactory.metafactory(
                  own,
                  "apply",
                  MethodType.methodType(Function.class),
                  MethodType.methodType(Object.class, Object.class),
                  own.findConstructor(type, BINDING_CONSTRUCTOR),
                  MethodType.methodType(type, PsoBinding.class))
              .getTarget()
              .invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(
          "%s has no constructor for bindings that can be called".formatted(type.getName()), e);
    }
  }

  /// The lookup of this package, for the hidden classes of [Accessors].
  static Lookup packageLookup() {
    return MethodHandles.lookup();
  }
}
