package dev.tigris.memory;

import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The stored values of an object by name, for tools that look at objects from outside, where
/// reflection finds nothing.
final class FieldValues {
  private FieldValues() {}

  /// As [PsoLayout#valuesOf].
  static Map<String, @Nullable Object> of(Pso object) {
    List<PsoField> fields = PsoClass.of(object.getClass()).layout().fields();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int index = 0; index < fields.size(); index++) {
      PsoField field = fields.get(index);
      boolean isHidden =
          fields.subList(index + 1, fields.size()).stream()
              .anyMatch(later -> later.name().equals(field.name()));
      String name = field.name();
      values.put(
          isHidden ? field.declaringClass().getName() + "." + name : name, value(object, field));
    }
    return Collections.unmodifiableMap(values);
  }

  private static @Nullable Object value(Pso object, PsoField field) {
    Object value = read(object, field);
    return switch (value) {
      case Pso inner when field.kind() instanceof FieldKind.Nested -> of(inner);
      case Utf8 text -> text.toString();
      case Bytes view -> view.detach();
      case Shorts view -> view.detach();
      case Chars view -> view.detach();
      case Ints view -> view.detach();
      case Longs view -> view.detach();
      case Floats view -> view.detach();
      case Doubles view -> view.detach();
      case null, default -> value;
    };
  }

  private static @Nullable Object read(Pso object, PsoField field) {
    MethodHandle getter = PsoClass.of(field.declaringClass()).accessors().getter(field.name());
    try {
      return getter.invoke(object);
    } catch (Throwable e) {
      throw PsoTarget.failure(e);
    }
  }
}
