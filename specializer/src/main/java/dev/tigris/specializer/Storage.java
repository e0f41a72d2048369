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
          "an inner or local class has a hidden reference to its enclosing object, "
              + "which cannot be stored: declare the class static, or on top level");
    }
    if (field.has(AccessFlag.FINAL)) {
      return new Refused(
          "a final field cannot be read back from a container: remove 'final', or keep the field in"
              + " the Java object with @HeapOnly");
    }
    if (field.has(AccessFlag.TRANSIENT)) {
      return new Refused(
          "'transient' has no meaning in a container: remove it to store the field, "
              + "or keep the field"
              + " in the Java object with @HeapOnly");
    }
    Storage storage = ofType(field, hierarchy);
    if (storage instanceof Part && field.has(AccessFlag.VOLATILE)) {
      return new Refused(
          "'volatile' has no meaning for a field in place, which is never assigned: remove it");
    }
    return storage;
  }

  /// Whether a field is in the container, so that no access may reach it in the Java object.
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
              ? "a field of type %s needs a capacity: annotate it with @Capacity(...)"
                  .formatted(type.displayName())
              : "@Capacity is for text and arrays, not for a field of type %s: remove it"
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
          ("%s, the type of this field, is not found: put the jars that the class was "
                  + "compiled with on the class path. If the agent reports this, a class "
                  + "loader does not give the class file out: run `tigris specialize` before "
                  + "the program")
              .formatted(Location.nameOf(missing.get())));
    }
    boolean isObject = hierarchy.isPso(type);
    if (field.has(MemoryNames.IN_PLACE) && (!isObject || MemoryNames.VARYING.contains(type))) {
      return new Refused(
          "@InPlace is for an object of fixed size, not for a field of type %s: remove it"
              .formatted(type.displayName()));
    }
    if (type.isPrimitive() || isEnum(type, hierarchy)) {
      return new Stored();
    }
    return isObject && field.has(MemoryNames.IN_PLACE)
        ? inPlace(type, hierarchy)
        : ofReference(type, hierarchy);
  }

  /// Finds a problem with the declaration of a field.
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

  /// Finds a problem with the elements of a list or table. This concerns the declaration only: a
  /// user of the field may not know their class. A class that cannot be found is judged when it is
  /// used.
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
            ("a field of type %1$s must name the class of its elements, which is not "
                    + "stored: declare it as %1$s<E>. E is a concrete class of objects, not a "
                    + "collection, and in a table not an array")
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
              ? "a reference to Pso does not say which class to recover: declare the "
                  + "exact class, or"
                  + " keep the field in the Java object with @HeapOnly"
              : "a field of type "
                  + type.displayName()
                  + " cannot be stored: keep it in the Java object with @HeapOnly. "
                  + "Fields in a container are primitives, enums, Utf8, arrays such as "
                  + "Ints, and subclasses of Pso");
    }
    Optional<ClassInfo> target = hierarchy.find(type);
    if (target.isPresent() && target.get().flags().contains(AccessFlag.ABSTRACT)) {
      return new Refused(
          "a reference to the abstract class "
              + type.displayName()
              + " does not say which class to recover: declare a concrete class, or "
              + "keep the field in"
              + " the Java object with @HeapOnly");
    }
    return new Stored();
  }
}
