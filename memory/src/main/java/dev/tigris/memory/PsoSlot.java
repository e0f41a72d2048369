package dev.tigris.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/// A field of a class that is a reference: what it refers to, and where each Java object remembers
/// the object that was last written to it or recovered from it.
///
/// It is remembered in a field of the Java object that the specializer has added for that. Where
/// what is there lies is compared with what is stored before it is used.
///
/// C2 trusts the fields of records: where a slot is a constant, so are its handles.
///
/// @param index which of the class's references it is, the same in every subclass
/// @param target what it refers to
/// @param element the class of its elements if the target is a list or a table
/// @param where names the field in messages
/// @param getter `(Pso)Pso`, a plain read
/// @param setter `(Pso,Pso)void`, which releases
/// @param exchanger `(Pso,Pso,Pso)Pso`, a compare-and-exchange
record PsoSlot(
    int index,
    PsoClass target,
    @Nullable Class<? extends Pso> element,
    String where,
    MethodHandle getter,
    MethodHandle setter,
    MethodHandle exchanger) {
  /// What the name of that field ends with, behind the reference's.
  static final String RECOVERED = "-recovered";

  private static final MethodType GETTER = MethodType.methodType(Pso.class, Pso.class);
  private static final MethodType SETTER = MethodType.methodType(void.class, Pso.class, Pso.class);
  private static final MethodType EXCHANGER =
      MethodType.methodType(Pso.class, Pso.class, Pso.class, Pso.class);

  /// @param own the lookup of the class that declares the field
  static PsoSlot of(int index, PsoField reference, Lookup own) {
    FieldKind.Reference kind = (FieldKind.Reference) reference.kind();
    VarHandle memory;
    try {
      memory = own.unreflectVarHandle(memory(reference));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(own + " is full", e);
    }
    return new PsoSlot(
        index,
        PsoClass.of(kind.target()),
        kind.element(),
        reference.declaringClass().getName() + "." + reference.name(),
        memory.toMethodHandle(AccessMode.GET).asType(GETTER),
        memory.toMethodHandle(AccessMode.SET_RELEASE).asType(SETTER),
        memory.toMethodHandle(AccessMode.COMPARE_AND_EXCHANGE).asType(EXCHANGER));
  }

  /// The field that remembers. A class whose fields are still as they were declared, which an
  /// earlier version specialized, has none, and the reference itself serves.
  ///
  /// @throws UnspecializedClassException if that does not either
  static Field memory(PsoField reference) {
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

  /// What an object remembers.
  @Nullable Pso known(Pso holder) {
    try {
      return (Pso) getter.invokeExact(holder);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  void remember(Pso holder, @Nullable Pso value) {
    try {
      setter.invokeExact(holder, value);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /// Puts an object in the place of another.
  ///
  /// @return the one that was there
  @Nullable Pso exchange(Pso holder, @Nullable Pso known, Pso fresh) {
    try {
      return (Pso) exchanger.invokeExact(holder, known, fresh);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  private static RuntimeException failure(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
  }
}
