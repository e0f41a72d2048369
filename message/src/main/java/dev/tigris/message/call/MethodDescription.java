package dev.tigris.message.call;

import dev.tigris.memory.schema.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A method that a server serves, as it says itself.
///
/// @param name with its service, such as `Orders.find`
/// @param parameters in their order
/// @param result of the call, or each element of the stream
/// @param isStream whether it returns a stream
/// @param isIdempotent whether it may be tried again
public record MethodDescription(
    String name, List<Type> parameters, Type result, boolean isStream, boolean isIdempotent) {
  /// The type of a parameter or a result.
  ///
  /// @param name `long`, `text`, `bytes` and so on, or that of a class of objects, without its
  ///     package
  /// @param schema of the objects; null for anything else
  public record Type(String name, @Nullable Schema schema) {
    private static Type of(Value value) {
      return new Type(value.text(), value.schema());
    }
  }

  /// Copies the list.
  public MethodDescription {
    parameters = List.copyOf(parameters);
  }

  static MethodDescription of(Signature signature) {
    return new MethodDescription(
        signature.fullName(),
        signature.parameters().stream().map(Type::of).toList(),
        Type.of(signature.result()),
        signature.isStream(),
        signature.isIdempotent());
  }
}
