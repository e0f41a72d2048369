package dev.tigris.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Field;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A field of a class that is a reference: what it leads to, and, if the objects of that class have
/// an [Identity], where each Java object remembers the object that was last written to it or
/// recovered from it.
///
/// It is remembered in a field of the Java object that the specializer has added for that. Where
/// what is there lies is compared with what is stored before it is used.
///
/// C2 trusts the fields of records: where a slot is a constant, so are its handles.
///
/// @param index which of the class's references it is, the same in every subclass
/// @param to what it leads to
/// @param element the class of its elements if the target is a list or a table
/// @param where names the field in messages
/// @param memory how to reach what is remembered; null if nothing is
record PsoSlot(
    int index,
    PsoTarget to,
    @Nullable Class<? extends Pso> element,
    String where,
    @Nullable Memory memory) {
  /// What the name of that field ends with, behind the reference's.
  static final String RECOVERED = "-recovered";

  /// How to reach the field that remembers.
  ///
  /// @param getter `(Pso)Pso`, a plain read
  /// @param setter `(Pso,Pso)void`, which releases
  /// @param exchanger `(Pso,Pso,Pso)Pso`, a compare-and-exchange
  record Memory(MethodHandle getter, MethodHandle setter, MethodHandle exchanger) {
    private static final MethodType GETTER = MethodType.methodType(Pso.class, Pso.class);
    private static final MethodType SETTER =
        MethodType.methodType(void.class, Pso.class, Pso.class);
    private static final MethodType EXCHANGER =
        MethodType.methodType(Pso.class, Pso.class, Pso.class, Pso.class);

    static Memory of(PsoField reference, Lookup own) {
      VarHandle field;
      try {
        field = own.unreflectVarHandle(field(reference));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(own + " is full", e);
      }
      return new Memory(
          field.toMethodHandle(AccessMode.GET).asType(GETTER),
          field.toMethodHandle(AccessMode.SET_RELEASE).asType(SETTER),
          field.toMethodHandle(AccessMode.COMPARE_AND_EXCHANGE).asType(EXCHANGER));
    }
  }

  /// @param own the lookup of the class that declares the field
  static PsoSlot of(int index, PsoField reference, Lookup own) {
    FieldKind.Reference kind = (FieldKind.Reference) reference.kind();
    PsoTarget to = PsoTarget.of(PsoClass.of(kind.target()));
    return new PsoSlot(
        index,
        to,
        kind.element(),
        reference.declaringClass().getName() + "." + reference.name(),
        to.isKept() ? Memory.of(reference, own) : null);
  }

  /// Refuses a class that has no room for what a reference of it is to remember.
  ///
  /// @throws UnspecializedClassException if it has none
  static void requireMemory(PsoField reference) {
    FieldKind.Reference kind = (FieldKind.Reference) reference.kind();
    if (PsoTarget.of(PsoClass.of(kind.target())).isKept()) {
      Field _ = field(reference);
    }
  }

  /// The field that remembers. A class whose fields are still as they were declared, which an
  /// earlier version specialized, has none, and the reference itself serves.
  ///
  /// @throws UnspecializedClassException if that does not either
  private static Field field(PsoField reference) {
    Class<?> type = reference.declaringClass();
    Field itself = null;
    for (Field field : type.getDeclaredFields()) {
      String name = field.getName();
      if (Pso.class.isAssignableFrom(field.getType())) {
        if (field.isSynthetic() && name.equals(reference.name() + RECOVERED)) {
          return field;
        }
        itself = name.equals(reference.name()) ? field : itself;
      }
    }
    if (itself == null) {
      throw new UnspecializedClassException(type, reference.name());
    }
    return itself;
  }

  /// The slot as a constant of the code that [RecipeCompiler] makes, called as the bootstrap method
  /// of that. By then there is an object of the class, so it has declared itself.
  static PsoSlot constant(Lookup code, String name, Class<?> type, PsoClass of, int index) {
    return of.slot(index);
  }

  private Memory remembering() {
    return Objects.requireNonNull(memory, where);
  }

  /// What an object remembers.
  @Nullable Pso known(Pso holder) {
    try {
      return (Pso) remembering().getter().invokeExact(holder);
    } catch (Throwable e) {
      throw PsoTarget.failure(e);
    }
  }

  void remember(Pso holder, @Nullable Pso value) {
    try {
      remembering().setter().invokeExact(holder, value);
    } catch (Throwable e) {
      throw PsoTarget.failure(e);
    }
  }

  /// Puts an object in the place of another.
  ///
  /// @return the one that was there
  @Nullable Pso exchange(Pso holder, @Nullable Pso known, Pso fresh) {
    try {
      return (Pso) remembering().exchanger().invokeExact(holder, known, fresh);
    } catch (Throwable e) {
      throw PsoTarget.failure(e);
    }
  }
}
