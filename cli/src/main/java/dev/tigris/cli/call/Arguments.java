package dev.tigris.cli.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.ContainerFullException;
import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import dev.tigris.message.call.Calls;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes the arguments of a call out of words of a command line: numbers, texts, bytes as Base64,
/// and objects as JSON.
public final class Arguments {
  private static final long FIRST_BYTES = 64 << 10;
  private static final long MOST_BYTES = 64 << 20;

  private final Object client;

  /// Makes arguments for calls of a client.
  public Arguments(Object client) {
    this.client = client;
  }

  /// Returns the value of one word.
  ///
  /// @throws CallInputException if it is none of the type
  public @Nullable Object of(String word, Class<?> type) throws CallInputException {
    boolean isPlainText = type == String.class && !word.startsWith("\"") && !word.equals("null");
    if (isPlainText) {
      return word;
    }
    Object value =
        (type == char.class && word.length() == 1)
                || (type == Bytes.class && !word.startsWith("\""))
            ? (word.equals("null") ? null : word)
            : parsed(word, type);
    if (value == null && !type.isPrimitive()) {
      return null;
    }
    if (type.isPrimitive()) {
      return primitive(value, type);
    } else if (type == String.class) {
      return text(value);
    } else if (type == Bytes.class) {
      byte[] all = base64(value);
      Bytes bytes = Jbuf.allocate(Math.max(1, all.length), "call").asBytes();
      bytes.copyFrom(0, all, 0, all.length);
      return bytes.slice(0, all.length);
    }
    return object(value, type.asSubclass(Pso.class));
  }

  /// A word that is to be a number, and is no JSON, is not told in the parser's words.
  private static @Nullable Object parsed(String word, Class<?> type) throws CallInputException {
    try {
      return JsonText.parse(word);
    } catch (CallInputException e) {
      if (type.isPrimitive()) {
        throw new CallInputException("'%s' is not a %s".formatted(word, type), e);
      }
      throw e;
    }
  }

  private static CallInputException wrong(@Nullable Object value, String wanted) {
    return new CallInputException("'%s' is not %s".formatted(value, wanted));
  }

  private static String text(@Nullable Object value) throws CallInputException {
    if (value instanceof String text) {
      return text;
    }
    throw wrong(value, "a text");
  }

  private static byte[] base64(@Nullable Object value) throws CallInputException {
    try {
      return Base64.getDecoder().decode(text(value));
    } catch (IllegalArgumentException e) {
      throw new CallInputException("'%s' is no Base64".formatted(value), e);
    }
  }

  private static Object primitive(@Nullable Object value, Class<?> type) throws CallInputException {
    try {
      return switch (value) {
        case Boolean truth when type == boolean.class -> truth;
        case String text when type == char.class && text.length() == 1 -> text.charAt(0);
        case String text when type == double.class -> Double.valueOf(text); // such as NaN
        case String text when type == float.class -> Float.valueOf(text);
        case BigDecimal number when type == byte.class -> number.byteValueExact();
        case BigDecimal number when type == short.class -> number.shortValueExact();
        case BigDecimal number when type == int.class -> number.intValueExact();
        case BigDecimal number when type == long.class -> number.longValueExact();
        case BigDecimal number when type == float.class -> number.floatValue();
        case BigDecimal number when type == double.class -> number.doubleValue();
        case null, default -> throw wrong(value, "a " + type);
      };
    } catch (ArithmeticException | NumberFormatException e) {
      throw new CallInputException("'%s' is not a %s".formatted(value, type), e);
    }
  }

  /// Makes an object in a container of the client, from which it is sent: in a larger one if it
  /// does not fit.
  private Pso object(@Nullable Object value, Class<? extends Pso> type) throws CallInputException {
    for (long bytes = FIRST_BYTES; ; bytes *= 4) {
      Container container = Calls.container(client, bytes);
      try {
        return make(value, type, container);
      } catch (ContainerFullException e) {
        Calls.release(client, container);
        if (bytes >= MOST_BYTES) {
          throw new CallInputException(
              "an argument takes more than %d bytes".formatted(MOST_BYTES), e);
        }
      }
    }
  }

  private static Pso make(@Nullable Object value, Class<? extends Pso> type, Container container)
      throws CallInputException {
    Pso object = construct(type, container);
    fill(object, value, container);
    return object;
  }

  private static Pso construct(Class<? extends Pso> type, Container container)
      throws CallInputException {
    try {
      return (Pso)
          ServiceFinder.lookup(type)
              .findConstructor(type, MethodType.methodType(void.class, Container.class))
              .invoke(container);
    } catch (ContainerFullException e) {
      throw e; // which a larger one may not be
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw new CallInputException(
          "%s has no constructor that takes a Container alone".formatted(type.getName()), e);
    } catch (Throwable e) { // the constructor is the program's
      throw new CallInputException(
          "the constructor of %s fails: %s".formatted(type.getName(), e), e);
    }
  }

  private static void fill(Pso object, @Nullable Object value, Container container)
      throws CallInputException {
    if (!(value instanceof Map<?, ?> members)) {
      throw wrong(value, "an object of " + object.getClass().getName());
    }
    try {
      PsoLayout.setValues(object, values(PsoLayout.of(object.getClass()), members, container));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new CallInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private static Map<String, @Nullable Object> values(
      PsoLayout layout, Map<?, ?> members, Container container) throws CallInputException {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (var member : members.entrySet()) {
      String name = String.valueOf(member.getKey());
      PsoField field =
          layout.fields().reversed().stream()
              .filter(each -> each.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new CallInputException(
                          "%s has no field '%s', but %s"
                              .formatted(
                                  layout.type().getName(),
                                  name,
                                  layout.fields().stream().map(PsoField::name).toList())));
      try {
        values.put(name, value(field.kind(), member.getValue(), container));
      } catch (CallInputException e) {
        throw new CallInputException("%s: %s".formatted(name, e.getMessage()), e);
      }
    }
    return values;
  }

  private static @Nullable Object value(FieldKind kind, @Nullable Object json, Container container)
      throws CallInputException {
    return switch (kind) {
      case FieldKind.Value(Primitive primitive) -> primitive(json, primitive.type());
      case FieldKind.Text _ -> text(json);
      case FieldKind.Array(Primitive element, int length) -> array(element, length, json);
      case FieldKind.Nested(Class<? extends Pso> type, int _) -> {
        if (!(json instanceof Map<?, ?> members)) {
          throw wrong(json, "an object of " + type.getName());
        }
        yield values(PsoLayout.of(type), members, container);
      }
      case FieldKind.Constant(var type) -> json == null ? null : constant(type, json);
      case FieldKind.Reference(var target, var element) ->
          json == null ? null : referred(target, element, json, container);
    };
  }

  private static Object constant(Class<? extends Enum<?>> type, Object json)
      throws CallInputException {
    for (Enum<?> each : type.getEnumConstants()) {
      if (each.name().equals(json)) {
        return each;
      }
    }
    throw wrong(json, "one of " + List.of(type.getEnumConstants()));
  }

  private static Object array(Primitive element, int length, @Nullable Object json)
      throws CallInputException {
    if (!(json instanceof List<?> items) || items.size() > length) {
      throw wrong(json, "a list of at most %d".formatted(length));
    }
    Object array = Array.newInstance(element.type(), items.size());
    for (int i = 0; i < items.size(); i++) {
      Array.set(array, i, primitive(items.get(i), element.type()));
    }
    return array;
  }

  private static Pso referred(
      Class<? extends Pso> target,
      @Nullable Class<? extends Pso> element,
      Object json,
      Container container)
      throws CallInputException {
    if (target == PsoArray.class) {
      throw new CallInputException("a PsoArray cannot be written as JSON: leave it out");
    }
    if (element == null) {
      return make(json, target, container);
    }
    if (!(json instanceof List<?> items)) {
      throw wrong(json, "a list");
    }
    return target == PsoList.class
        ? list(element, items, container)
        : table(element, items, container);
  }

  private static <T extends Pso> Pso list(Class<T> element, List<?> items, Container container)
      throws CallInputException {
    PsoList<T> list = new PsoList<>(container, element, items.size());
    for (Object item : items) {
      list.add(item == null ? null : element.cast(make(item, element, container)));
    }
    return list;
  }

  private static <T extends Pso> Pso table(Class<T> element, List<?> items, Container container)
      throws CallInputException {
    PsoTable<T> table = new PsoTable<>(container, element, items.size());
    for (Object item : items) {
      fill(table.add(), item, container);
    }
    return table;
  }
}
