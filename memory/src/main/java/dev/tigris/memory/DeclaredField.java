package dev.tigris.memory;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import org.jspecify.annotations.Nullable;

/// A field of a class of objects, found by the type that its declaration gives it.
///
/// The specializer leaves one byte of a stored field in the Java object. To the JVM, the field is a
/// `byte`, or a `boolean` where it is declared as `byte`; only its `Signature` tells the declared
/// type. Classes that an earlier specializer wrote have their fields as they are declared.
///
/// @param from the class from which a search by the name and the JVM's type finds this field
record DeclaredField(Class<?> from, Field field) {
  /// The type that its declaration gives a field.
  ///
  /// @throws NoClassDefFoundError if there is no such class
  static Class<?> typeOf(Field field) {
    Class<?> type = field.getType();
    boolean mayBeDead = type == byte.class || type == boolean.class;
    return mayBeDead ? erasure(genericTypeOf(field)) : type;
  }

  /// Finds the field that an instruction meant when it was compiled: as the JVM does (JVMS
  /// 5.4.3.2), but for interfaces, which have static fields only.
  ///
  /// @return null if no class of objects from `owner` upwards has it
  static @Nullable DeclaredField find(Class<?> owner, String name, Class<?> type) {
    Class<?> from = owner;
    for (Class<?> at = owner; Pso.class.isAssignableFrom(at) && at != Pso.class; ) {
      Class<?> above = at.getSuperclass();
      for (Field field : at.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          if (typeOf(field) == type) {
            return new DeclaredField(from, field);
          }
          from = above; // to the JVM, it could have the type of the one that is meant
        }
      }
      at = above;
    }
    return null;
  }

  /// A field in messages: `int app.Trade.quantity`.
  static String textOf(Field field) {
    return "%s %s.%s"
        .formatted(
            typeOf(field).getTypeName(), field.getDeclaringClass().getName(), field.getName());
  }

  private static Type genericTypeOf(Field field) {
    try {
      return field.getGenericType();
    } catch (TypeNotPresentException e) {
      // As where the JVM itself looks for the type of a field.
      NoClassDefFoundError missing = new NoClassDefFoundError(e.typeName().replace('.', '/'));
      missing.initCause(e);
      throw missing;
    }
  }

  /// The class that a type is compiled to (JLS 4.6).
  private static Class<?> erasure(Type type) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> erasure(generic.getRawType());
      case TypeVariable<?> variable -> erasure(variable.getBounds()[0]);
      default -> throw new IllegalArgumentException(type + " is no type of a stored field");
    };
  }
}
