package dev.tigris.message.call;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// A [Service] interface, read once: its methods and what they send.
///
/// @param type the interface
/// @param methods in the order of their names
record ServiceModel(Class<?> type, String name, List<MethodModel> methods) {
  /// The most parameters: the other words of a message are the call's.
  static final int MOST_PARAMETERS = 12;

  private static final ClassValue<ServiceModel> MODELS =
      new ClassValue<>() {
        @Override
        protected ServiceModel computeValue(Class<?> type) {
          return read(type);
        }
      };

  /// How a method hands its result over.
  enum Form {
    /// It returns the result.
    PLAIN,
    /// It returns a `CompletableFuture`.
    FUTURE,
    /// It returns [Results].
    STREAM
  }

  /// A method.
  ///
  /// @param method as it was declared
  /// @param resultType the class of the result, or of the elements of the stream
  record MethodModel(Method method, Signature signature, Form form, Class<?> resultType) {}

  /// Reads an interface.
  ///
  /// @throws IllegalArgumentException if it is no service, or one that cannot be called
  static ServiceModel of(Class<?> type) {
    return MODELS.get(type);
  }

  /// A lookup that may see an interface, and define classes beside it.
  ///
  /// @throws IllegalArgumentException if this module may not see it
  static MethodHandles.Lookup lookup(Class<?> type) {
    // A class loader of the program's own, as of a tool, has a module that nothing reads by itself.
    ServiceModel.class.getModule().addReads(type.getModule());
    try {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    } catch (IllegalAccessException e) {
      boolean isExported =
          Modifier.isPublic(type.getModifiers())
              && type.getModule().isExported(type.getPackageName(), ServiceModel.class.getModule());
      if (isExported) {
        return MethodHandles.lookup();
      }
      throw new IllegalArgumentException(
          "%s is not accessible: make it public in an exported package, or open its package to %s"
              .formatted(type.getName(), ServiceModel.class.getModule().getName()),
          e);
    }
  }

  private static ServiceModel read(Class<?> type) {
    Service service = type.getAnnotation(Service.class);
    if (!type.isInterface() || service == null) {
      throw new IllegalArgumentException(
          "%s is no interface that is marked @Service".formatted(type.getName()));
    }
    String name = service.value().isEmpty() ? type.getSimpleName() : service.value();
    List<MethodModel> methods = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Method[] all = type.getMethods();
    Arrays.sort(all, Comparator.comparing(Method::getName));
    for (Method method : all) {
      if (Modifier.isAbstract(method.getModifiers())) {
        if (!names.add(method.getName())) {
          throw new IllegalArgumentException(
              "%s has two methods %s: give each a name of its own"
                  .formatted(name, method.getName()));
        }
        methods.add(method(name, method));
      }
    }
    if (methods.isEmpty()) {
      throw new IllegalArgumentException(name + " has no methods to call");
    }
    return new ServiceModel(type, name, List.copyOf(methods));
  }

  private static MethodModel method(String service, Method method) {
    String where = service + "." + method.getName();
    Class<?>[] types = method.getParameterTypes();
    if (types.length > MOST_PARAMETERS) {
      throw new IllegalArgumentException(
          "%s has %d parameters, and %d are possible: put them into an object"
              .formatted(where, types.length, MOST_PARAMETERS));
    }
    List<Value> parameters = new ArrayList<>();
    for (Class<?> parameter : types) {
      if (isBox(parameter)) {
        throw new IllegalArgumentException(
            "%s has a parameter of %s: declare it as a primitive"
                .formatted(where, parameter.getName()));
      }
      parameters.add(value(where, parameter));
    }
    Form form = Form.PLAIN;
    Class<?> result = method.getReturnType();
    if (result == CompletableFuture.class || result == Results.class) {
      form = result == Results.class ? Form.STREAM : Form.FUTURE;
      result = argument(where, method.getGenericReturnType());
    }
    if (form == Form.PLAIN && isBox(result)) {
      throw new IllegalArgumentException(
          "%s returns %s: declare it as a primitive".formatted(where, result.getName()));
    }
    Value value = value(where, result);
    if (form == Form.STREAM && value.kind() != Kind.OBJECT) {
      throw new IllegalArgumentException(where + " returns Results of what is no class of objects");
    }
    Signature signature =
        Signature.of(
            service,
            method.getName(),
            parameters,
            value,
            form == Form.STREAM,
            method.isAnnotationPresent(Idempotent.class));
    return new MethodModel(method, signature, form, result);
  }

  /// Whether a type is a box of a primitive, or `Void`.
  private static boolean isBox(Class<?> type) {
    return !type.isPrimitive() && MethodType.methodType(type).unwrap().returnType() != type;
  }

  private static Class<?> argument(String where, Type type) {
    if (type instanceof ParameterizedType parameterized
        && parameterized.getActualTypeArguments()[0] instanceof Class<?> argument) {
      return argument;
    }
    throw new IllegalArgumentException(where + " does not say by a class what it returns");
  }

  private static Value value(String where, Class<?> type) {
    Kind kind = Kind.of(type);
    if (kind == null) {
      throw new IllegalArgumentException(
          "%s has a %s, which cannot be sent: primitives, String, Bytes and classes of objects can"
              .formatted(where, type.getName()));
    }
    return Value.of(kind, type);
  }
}
