package dev.tigris.memory;

import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /// As [PsoLayout#setValues].
  static void set(Pso object, Map<String, ? extends @Nullable Object> values) {
    List<PsoField> fields = PsoClass.of(object.getClass()).layout().fields();
    for (var entry : values.entrySet()) {
      PsoField found = null;
      for (PsoField field : fields) { // of several of a name, the last one hides the others
        String qualified = field.declaringClass().getName() + "." + field.name();
        if (field.name().equals(entry.getKey()) || qualified.equals(entry.getKey())) {
          found = field;
        }
      }
      if (found == null) {
        throw new IllegalArgumentException(
            "%s has no stored field '%s', but %s"
                .formatted(
                    object.getClass().getName(),
                    entry.getKey(),
                    fields.stream().map(PsoField::name).toList()));
      }
      try {
        set(object, found, entry.getValue());
      } catch (ClassCastException | NullPointerException e) {
        throw new IllegalArgumentException(
            "%s.%s cannot be set to %s: it is a %s"
                .formatted(
                    object.getClass().getName(), found.name(), entry.getValue(), found.kind()),
            e);
      }
    }
  }

  private static void set(Pso object, PsoField field, @Nullable Object value) {
    switch (field.kind()) {
      case FieldKind.Text _ -> ((Utf8) part(object, field)).set((CharSequence) some(value));
      case FieldKind.Array _ -> copyInto(part(object, field), some(value));
      case FieldKind.Nested _ -> {
        var members = new LinkedHashMap<String, @Nullable Object>();
        ((Map<?, ?>) some(value)).forEach((name, its) -> members.put((String) name, its));
        set((Pso) part(object, field), members);
      }
      case FieldKind.Value _ -> write(object, field, some(value));
      case FieldKind.Constant(var type) -> write(object, field, type.cast(value));
      case FieldKind.Reference(var target, var _) -> write(object, field, target.cast(value));
    }
  }

  private static Object part(Pso object, PsoField field) {
    return some(read(object, field));
  }

  private static Object some(@Nullable Object value) {
    return Objects.requireNonNull(value);
  }

  private static void copyInto(Object part, Object array) {
    switch (part) {
      case Bytes view -> view.copyFrom(0, (byte[]) array, 0, ((byte[]) array).length);
      case Shorts view -> view.copyFrom(0, (short[]) array, 0, ((short[]) array).length);
      case Chars view -> view.copyFrom(0, (char[]) array, 0, ((char[]) array).length);
      case Ints view -> view.copyFrom(0, (int[]) array, 0, ((int[]) array).length);
      case Longs view -> view.copyFrom(0, (long[]) array, 0, ((long[]) array).length);
      case Floats view -> view.copyFrom(0, (float[]) array, 0, ((float[]) array).length);
      case Doubles view -> view.copyFrom(0, (double[]) array, 0, ((double[]) array).length);
      default -> throw new ClassCastException("no array: " + part.getClass());
    }
  }

  private static void write(Pso object, PsoField field, @Nullable Object value) {
    MethodHandle setter = PsoClass.of(field.declaringClass()).accessors().setter(field.name());
    try {
      setter.invoke(object, value);
    } catch (Throwable e) {
      throw PsoTarget.failure(e);
    }
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
