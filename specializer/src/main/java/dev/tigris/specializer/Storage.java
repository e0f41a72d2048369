package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.Optional;

/// Where a field of a pre-serialized class is kept.
sealed interface Storage {
  /// In the container; its accesses are rewritten.
  record Stored() implements Storage {}

  /// In the container, in the object itself: reading gives what stands for it, and nothing can be
  /// assigned.
  record Part() implements Storage {}

  /// In the Java object; its accesses stay as they are.
  record OnHeap(String reason) implements Storage {}

  /// Nowhere yet: the class must be changed first.
  record Refused(String problem) implements Storage {}

  /// Judges a field that a pre-serialized class declares.
  static Storage of(FieldInfo field, ClassHierarchy hierarchy) {
    if (field.has(AccessFlag.STATIC)) {
      return new OnHeap("static");
    }
    if (field.has(MemoryNames.HEAP_ONLY)) {
      return new OnHeap("@HeapOnly");
    }
    if (field.has(AccessFlag.SYNTHETIC)) {
      return new Refused(
          "an inner or local class keeps a hidden reference to what surrounds it, which cannot be"
              + " stored: declare the class static, or on top level");
    }
    if (field.has(AccessFlag.FINAL)) {
      return new Refused(
          "a final field cannot be read back from a container: drop 'final', or keep the field in"
              + " the Java object with @HeapOnly");
    }
    if (field.has(AccessFlag.TRANSIENT)) {
      return new Refused(
          "'transient' says nothing about containers: drop it to store the field, or keep the field"
              + " in the Java object with @HeapOnly");
    }
    Storage storage = ofType(field, hierarchy);
    if (storage instanceof Part && field.has(AccessFlag.VOLATILE)) {
      return new Refused(
          "'volatile' says nothing about what lies in the object, since nothing is assigned: drop"
              + " it");
    }
    return storage;
  }

  /// Whether a field is in the container, and no access may reach it in the Java object.
  static boolean isInContainer(FieldInfo field, ClassHierarchy hierarchy) {
    return switch (of(field, hierarchy)) {
      case Stored _, Part _ -> true;
      case OnHeap _, Refused _ -> false;
    };
  }

  private static Storage ofType(FieldInfo field, ClassHierarchy hierarchy) {
    ClassDesc type = field.type();
    boolean sized = MemoryNames.SIZED.contains(type);
    if (sized != field.has(MemoryNames.CAPACITY)) {
      return new Refused(
          sized
              ? "a field of type %s needs to say how much it holds: annotate it with @Capacity(...)"
                  .formatted(type.displayName())
              : "@Capacity is for text and arrays, and not for a field of type %s: drop it"
                  .formatted(type.displayName()));
    }
    if (sized) {
      int capacity = field.capacity().orElse(0);
      return capacity >= 1 && capacity <= MemoryNames.MAX_BYTES
          ? new Part()
          : new Refused(
              "a capacity of %d is out of bounds: give it one from 1 to %d"
                  .formatted(capacity, MemoryNames.MAX_BYTES));
    }
    Optional<ClassDesc> missing = hierarchy.missingFrom(type);
    if (missing.isPresent()) {
      return new Refused(
          "nobody can tell whether it can be stored, as %s is not found: put on the class path what the class was compiled with (where the agent says this, a class loader does not give it out: run `tigris specialize` beforehand)"
              .formatted(Location.nameOf(missing.get())));
    }
    boolean isObject = hierarchy.isPso(type);
    if (field.has(MemoryNames.IN_PLACE) && (!isObject || MemoryNames.VARYING.contains(type))) {
      return new Refused(
          "@InPlace is for an object of fixed size, and not for a field of type %s: drop it"
              .formatted(type.displayName()));
    }
    if (type.isPrimitive() || isEnum(type, hierarchy)) {
      return new Stored();
    }
    return isObject && field.has(MemoryNames.IN_PLACE)
        ? inPlace(type, hierarchy)
        : ofReference(type, hierarchy);
  }

  /// What is wrong with the declaration of a field.
  static Optional<String> problem(FieldInfo field, ClassHierarchy hierarchy) {
    return switch (of(field, hierarchy)) {
      case Refused(String problem) -> Optional.of(problem);
      case Stored() when MemoryNames.COLLECTIONS.contains(field.type()) ->
          wrongElements(field, hierarchy);
      case Stored() -> EnumConstants.problem(field.type(), hierarchy);
      case Part() -> ObjectSize.recursion(field, hierarchy);
      case OnHeap _ -> Optional.empty();
    };
  }

  /// What is wrong with the elements of a list or table. It is a matter of the declaration: who
  /// uses the field may not know their class. One that cannot be found is judged when it is used.
  private static Optional<String> wrongElements(FieldInfo field, ClassHierarchy hierarchy) {
    boolean known =
        field
            .element()
            .filter(
                element ->
                    !(field.type().equals(MemoryNames.TABLE)
                            ? MemoryNames.VARYING
                            : MemoryNames.COLLECTIONS)
                        .contains(element))
            .filter(
                element ->
                    hierarchy.find(element).isEmpty()
                        || ofReference(element, hierarchy) instanceof Stored)
            .isPresent();
    return known
        ? Optional.empty()
        : Optional.of(
            ("a field of type %1$s must say what its elements are, since their bytes do not: declare"
                    + " it as %1$s<E>, where E is a concrete class of objects, no collection itself, and"
                    + " in a table no array")
                .formatted(field.type().displayName()));
  }

  private static Storage inPlace(ClassDesc type, ClassHierarchy hierarchy) {
    Storage storage = ofReference(type, hierarchy);
    return storage instanceof Stored ? new Part() : storage;
  }

  static boolean isEnum(ClassDesc type, ClassHierarchy hierarchy) {
    return hierarchy.find(type).map(info -> info.flags().contains(AccessFlag.ENUM)).orElse(false);
  }

  private static Storage ofReference(ClassDesc type, ClassHierarchy hierarchy) {
    if (!hierarchy.isPso(type)) {
      boolean anyPso = type.equals(MemoryNames.PSO);
      return new Refused(
          anyPso
              ? "a reference to Pso does not say which class to recover: declare the exact class, or"
                  + " keep the field in the Java object with @HeapOnly"
              : "a field of type "
                  + type.displayName()
                  + " cannot be stored: only primitives, enums, Utf8, arrays such as Ints, and subclasses of"
                  + " Pso can; keep it in the Java object with @HeapOnly");
    }
    Optional<ClassInfo> target = hierarchy.find(type);
    if (target.isPresent() && target.get().flags().contains(AccessFlag.ABSTRACT)) {
      return new Refused(
          "a reference to the abstract class "
              + type.displayName()
              + " does not say which class to recover: declare a concrete class, or keep the field in"
              + " the Java object with @HeapOnly");
    }
    return new Stored();
  }
}
