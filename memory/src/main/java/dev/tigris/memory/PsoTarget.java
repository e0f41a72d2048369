package dev.tigris.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;

/// What a reference, or a field in place, leads to, as a constant of the code that follows it: C2
/// trusts the fields of records, and follows a constant handle to the constructor. So it sees an
/// object that is made for one use, and leaves it out.
///
/// @param of the class of the objects
/// @param type that class
/// @param sizeBytes of an object; more than any container has where the class cannot say yet
/// @param isKept whether the holder keeps the object that it has made, and returns it again
/// @param maker `(PsoBinding)Pso`
record PsoTarget(PsoClass of, Class<?> type, long sizeBytes, boolean isKept, MethodHandle maker) {
  /// What references to objects of a class lead to.
  static PsoTarget of(PsoClass of) {
    return of.target();
  }

  /// What a field in place leads to, called as the bootstrap method of a constant. An object that
  /// has references is kept too: it may have to remember an object of another container.
  static PsoTarget inPlace(Lookup code, String name, Class<?> type, PsoClass holder, int index) {
    return inPlace(holder, index);
  }

  static PsoTarget inPlace(PsoClass holder, int index) {
    FieldKind.Nested kind = (FieldKind.Nested) holder.layout().nested().get(index).kind();
    PsoClass of = PsoClass.of(kind.type());
    PsoLayout layout = of.layout();
    boolean isKept = layout.hasIdentity() || layout.hasReferences();
    return new PsoTarget(of, of.type(), layout.sizeBytes(), isKept, of.maker());
  }

  /// Whether the objects keep what they have found out about their bytes ([Pso#isCurrent]). This
  /// compares classes only, so that it costs nothing where the target is a constant.
  boolean keepsWhatItFound() {
    return type == PsoTable.class || type == PsoList.class || type == PsoArray.class;
  }

  /// Whether an object can lie at an offset of a container, which came from the container's bytes.
  /// What it is compared with is the capacity that Java knows, and not the header.
  boolean fits(PsoHome home, long offset) {
    return offset >= home.firstOffset
        && offset <= home.capacityBytes - sizeBytes
        && (offset & 7) == 0;
  }

  /// Makes an object for a place that was checked.
  ///
  /// @param home that of an object in the same container
  /// @param bits those of the place
  Pso make(PsoHome home, long bits) {
    PsoBinding binding = PsoBinding.near(type, home, bits);
    Pso made;
    try {
      made = (Pso) maker.invokeExact(binding);
    } catch (Throwable e) {
      throw failure(e);
    }
    made.requireAt(binding);
    return made;
  }

  static RuntimeException failure(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
  }
}
