package dev.tigris.cli.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes maps, lists and plain values of what a call has returned, for JSON.
public final class Answer {
  private static final int DEEPEST = 500;

  /// The objects that lead to the one that is looked at.
  private final Deque<Pso> path = new ArrayDeque<>();

  private Answer() {}

  /// Returns a result for JSON.
  ///
  /// @throws CallInputException if it leads back to itself
  public static @Nullable Object of(@Nullable Object result) throws CallInputException {
    return new Answer().value(result);
  }

  private @Nullable Object value(@Nullable Object value) throws CallInputException {
    return switch (value) {
      case null -> null;
      case Byte number -> number.intValue();
      case Short number -> number.intValue();
      case Float number -> Double.valueOf(number.toString());
      case Enum<?> constant -> constant.name();
      case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
      case Bytes bytes -> Base64.getEncoder().encodeToString(bytes.detach());
      case Map<?, ?> members -> members(members);
      case Pso object -> object(object);
      default -> value.getClass().isArray() ? array(value) : value;
    };
  }

  private Object object(Pso object) throws CallInputException {
    if (path.contains(object) || path.size() >= DEEPEST) {
      throw new CallInputException(
          "the result cannot be printed: its objects lead back to themselves, or %d deep"
              .formatted(DEEPEST));
    }
    path.push(object);
    Object made =
        switch (object) {
          case PsoArray array -> array(values(array));
          case PsoList<?> list -> {
            List<@Nullable Object> items = new ArrayList<>();
            for (long i = 0; i < list.size(); i++) {
              items.add(value(list.get(i)));
            }
            yield items;
          }
          case PsoTable<?> table -> {
            List<@Nullable Object> items = new ArrayList<>();
            for (long i = 0; i < table.size(); i++) {
              items.add(value(table.get(i)));
            }
            yield items;
          }
          default -> members(PsoLayout.valuesOf(object));
        };
    path.pop();
    return made;
  }

  private static Object values(PsoArray array) {
    return switch (array.element()) {
      case BOOLEAN, BYTE -> array.asBytes().detach();
      case SHORT -> array.asShorts().detach();
      case CHAR -> array.asChars().detach();
      case INT -> array.asInts().detach();
      case LONG -> array.asLongs().detach();
      case FLOAT -> array.asFloats().detach();
      case DOUBLE -> array.asDoubles().detach();
    };
  }

  private Map<String, @Nullable Object> members(Map<?, ?> members) throws CallInputException {
    Map<String, @Nullable Object> made = new LinkedHashMap<>();
    for (var member : members.entrySet()) {
      made.put(String.valueOf(member.getKey()), value(member.getValue()));
    }
    return made;
  }

  private List<@Nullable Object> array(Object array) throws CallInputException {
    List<@Nullable Object> items = new ArrayList<>();
    for (int i = 0; i < Array.getLength(array); i++) {
      items.add(value(Array.get(array, i)));
    }
    return items;
  }
}
