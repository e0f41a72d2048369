package dev.tigris.message.call;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The methods of a server by their numbers. Looking one up makes no objects.
///
/// Immutable.
final class MethodTable {
  private final @Nullable ServerMethod[] slots;

  /// @throws IllegalArgumentException if two have one number
  MethodTable(List<ServerMethod> methods) {
    slots = new @Nullable ServerMethod[Integer.highestOneBit(Math.max(2, 2 * methods.size())) << 1];
    for (ServerMethod method : methods) {
      int at = (int) method.id() & (slots.length - 1);
      for (ServerMethod its = slots[at]; its != null; its = slots[at]) {
        if (its.id() == method.id()) {
          throw new IllegalArgumentException(
              "the server serves %s twice".formatted(method.signature().fullName()));
        }
        at = at + 1 & (slots.length - 1);
      }
      slots[at] = method;
    }
  }

  /// Returns the method of a number; null if there is none.
  @Nullable ServerMethod find(long id) {
    int at = (int) id & (slots.length - 1);
    for (ServerMethod its = slots[at]; its != null; its = slots[at]) {
      if (its.id() == id) {
        return its;
      }
      at = at + 1 & (slots.length - 1);
    }
    return null;
  }
}
