package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.Optional;

/// Where a field of a pre-serialized class is kept.
sealed interface Storage {
  /// In the container; its accesses are rewritten.
  record Stored() implements Storage {}

  /// In the Java object; its accesses stay as they are.
  record OnHeap(String reason) implements Storage {}

  /// Nowhere yet: the class must be changed first.
  record Refused(String problem) implements Storage {}

  /// Judges a field that a pre-serialized class declares.
  static Storage of(FieldInfo field, ClassHierarchy hierarchy) {
    if (field.has(AccessFlag.STATIC)) {
      return new OnHeap("static");
    }
    if (field.heapOnly()) {
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
    return field.type().isPrimitive() ? new Stored() : ofReference(field.type(), hierarchy);
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
                  + " cannot be stored: only primitives and references to subclasses of Pso can;"
                  + " keep it in the Java object with @HeapOnly");
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
