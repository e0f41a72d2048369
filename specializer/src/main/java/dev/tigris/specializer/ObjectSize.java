package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// How large objects are, as `memory` lays them out when their class is loaded (`PsoLayout`, whose
/// words these are): as the C compiler would a struct of the same fields, superclass fields first,
/// rounded up to a multiple of eight bytes.
///
/// One that cannot be told, because of a class that is not found, is left to `memory`.
final class ObjectSize {
  private static final int ALIGNMENT_BYTES = 8;

  /// Where all ends that ends behind the limit: how far behind does not matter.
  private static final int TOO_LARGE = MemoryNames.MAX_BYTES + 1;

  private final ClassHierarchy hierarchy;

  /// Where the last field ends, by class; empty if it cannot be told.
  private final Map<ClassDesc, OptionalInt> ends = new HashMap<>();

  /// What [#firstInPlace] has found.
  private final Map<ClassDesc, Optional<ClassDesc>> firsts = new HashMap<>();

  ObjectSize(ClassHierarchy hierarchy) {
    this.hierarchy = hierarchy;
  }

  static String tooLarge(ClassDesc type) {
    return ("%s is larger than the %d bytes of the largest object: use a reference to a "
            + "PsoArray or a PsoTable for its largest part")
        .formatted(Location.nameOf(type), MemoryNames.MAX_BYTES);
  }

  /// The first field of a class with which its objects are too large. Those whose superclass's are
  /// already are the superclass's problem.
  Optional<FieldInfo> excess(ClassInfo info) {
    OptionalInt end = endOfSuperclass(info);
    for (FieldInfo field : info.fields()) {
      if (end.isEmpty() || end.getAsInt() == TOO_LARGE) {
        return Optional.empty();
      }
      end = endBehind(end.getAsInt(), field);
      if (end.equals(OptionalInt.of(TOO_LARGE))) {
        return Optional.of(field);
      }
    }
    return Optional.empty();
  }

  private OptionalInt endOfSuperclass(ClassInfo info) {
    return info.superclass().map(this::end).orElse(OptionalInt.empty());
  }

  private OptionalInt end(ClassDesc type) {
    if (type.equals(MemoryNames.PSO)) {
      return OptionalInt.of(0);
    }
    OptionalInt known = ends.get(type);
    if (known != null) {
      return known;
    }
    ends.put(type, OptionalInt.empty()); // an object that lies in itself has no end
    OptionalInt end = hierarchy.find(type).map(this::end).orElse(OptionalInt.empty());
    ends.put(type, end);
    return end;
  }

  private OptionalInt end(ClassInfo info) {
    OptionalInt end = endOfSuperclass(info);
    for (FieldInfo field : info.fields()) {
      if (end.isPresent()) {
        end = endBehind(end.getAsInt(), field);
      }
    }
    return end;
  }

  private OptionalInt endBehind(int end, FieldInfo field) {
    return switch (Storage.of(field, hierarchy)) {
      case Storage.OnHeap _ -> OptionalInt.of(end);
      case Storage.Refused _ -> OptionalInt.empty();
      case Storage.Stored() -> {
        int bytes = bytesOfValue(field.type());
        yield OptionalInt.of(sum(end, bytes, bytes));
      }
      case Storage.Part() when MemoryNames.TEXT.equals(field.type()) ->
          OptionalInt.of(sum(end, Integer.BYTES, Integer.BYTES + field.capacity().orElse(0)));
      case Storage.Part() when MemoryNames.VIEWS.containsKey(field.type()) -> {
        int element = MemoryNames.VIEWS.getOrDefault(field.type(), 0);
        yield OptionalInt.of(sum(end, element, (long) element * field.capacity().orElse(0)));
      }
      case Storage.Part() -> {
        OptionalInt inner = end(field.type());
        if (inner.isEmpty()) {
          yield inner;
        }
        int begin =
            end == 0 && hasSuperclassOf(field.type(), field.owner()) ? ALIGNMENT_BYTES : end;
        int bytes = Math.max(align(inner.getAsInt()), ALIGNMENT_BYTES);
        yield OptionalInt.of(sum(begin, ALIGNMENT_BYTES, bytes));
      }
    };
  }

  /// Whether an object in place, or one at its first byte, is of one of the superclasses of the
  /// class around it, and so begins behind its first eight bytes.
  private boolean hasSuperclassOf(ClassDesc inner, ClassDesc around) {
    Optional<ClassDesc> first = Optional.of(inner);
    while (first.isPresent()) {
      for (Optional<ClassDesc> at = first;
          at.isPresent() && !at.get().equals(MemoryNames.PSO);
          at = hierarchy.find(at.get()).flatMap(ClassInfo::superclass)) {
        if (hierarchy.isSubclass(around, at.get())) {
          return true;
        }
      }
      first = firstInPlace(first.get());
    }
    return false;
  }

  /// The class of the object that lies at the first byte of those of a class.
  private Optional<ClassDesc> firstInPlace(ClassDesc type) {
    Optional<ClassDesc> known = firsts.get(type);
    if (known == null) {
      known = findFirstInPlace(type);
      firsts.put(type, known);
    }
    return known;
  }

  private Optional<ClassDesc> findFirstInPlace(ClassDesc type) {
    Optional<ClassInfo> info = hierarchy.find(type);
    Optional<ClassDesc> above =
        info.flatMap(ClassInfo::superclass).filter(up -> !up.equals(MemoryNames.PSO));
    if (above.isPresent() && end(above.get()).orElse(0) > 0) {
      return firstInPlace(above.get());
    }
    return info.stream()
        .flatMap(each -> each.fields().stream())
        .filter(field -> !(Storage.of(field, hierarchy) instanceof Storage.OnHeap))
        .findFirst()
        .filter(field -> isNested(field, hierarchy) && !hasSuperclassOf(field.type(), type))
        .map(FieldInfo::type);
  }

  private int bytesOfValue(ClassDesc type) {
    return switch (type.descriptorString()) {
      case "Z", "B" -> Byte.BYTES;
      case "C", "S" -> Short.BYTES;
      case "I", "F" -> Integer.BYTES;
      case "J", "D" -> Long.BYTES;
      default -> Storage.isEnum(type, hierarchy) ? Integer.BYTES : Long.BYTES; // or a reference
    };
  }

  private static int sum(int end, int alignment, long bytes) {
    long sum = ((end + alignment - 1) & -alignment) + bytes;
    return (int) Math.min(sum, TOO_LARGE);
  }

  private static int align(int bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }

  /// What is wrong with a field in place whose object would have itself in it, and so no end.
  static Optional<String> recursion(FieldInfo field, ClassHierarchy hierarchy) {
    return isNested(field, hierarchy)
        ? recursive(field.type(), hierarchy, new HashSet<>(), new HashSet<>())
            .map(
                type ->
                    "objects of %s would lie in themselves: use a reference"
                        .formatted(Location.nameOf(type)))
        : Optional.empty();
  }

  /// A class whose objects would lie in themselves: this one, or one of those in it.
  ///
  /// @param around the classes that this one lies in
  /// @param ended those that were followed to their end: from a class that has others twice, which
  ///     have others twice, there are more ways than one could go
  private static Optional<ClassDesc> recursive(
      ClassDesc type, ClassHierarchy hierarchy, Set<ClassDesc> around, Set<ClassDesc> ended) {
    if (ended.contains(type)) {
      return Optional.empty();
    }
    if (!around.add(type)) {
      return Optional.of(type);
    }
    Optional<ClassInfo> at = hierarchy.find(type);
    while (at.isPresent()) {
      for (FieldInfo field : at.get().fields()) {
        if (isNested(field, hierarchy)) {
          Optional<ClassDesc> found = recursive(field.type(), hierarchy, around, ended);
          if (found.isPresent()) {
            return found;
          }
        }
      }
      at = at.get().superclass().filter(up -> !up.equals(MemoryNames.PSO)).flatMap(hierarchy::find);
    }
    around.remove(type);
    ended.add(type);
    return Optional.empty();
  }

  private static boolean isNested(FieldInfo field, ClassHierarchy hierarchy) {
    return field.has(MemoryNames.IN_PLACE)
        && !field.has(AccessFlag.STATIC)
        && !field.has(MemoryNames.HEAP_ONLY)
        && hierarchy.isPso(field.type());
  }
}
