package dev.tigris.message.call;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.Collectors;

/// A method as it is known over the wire.
///
/// @param service the name of its service
/// @param name its own
/// @param result of the call, or each element of the stream
/// @param isStream whether it returns a stream
/// @param isIdempotent whether it may run more than once for a call; the number does not depend on
///     it
/// @param id its number: two signatures share it only if their bytes mean the same
record Signature(
    String service,
    String name,
    List<Value> parameters,
    Value result,
    boolean isStream,
    boolean isIdempotent,
    long id) {
  /// The number of the method that every server has: its [Description].
  static final long DESCRIBE = 0;

  /// The method that asks for the description of a server.
  static final Signature DESCRIPTION =
      new Signature("", "describe", List.of(), new Value(Kind.BYTES, null), false, true, DESCRIBE);

  Signature {
    parameters = List.copyOf(parameters);
  }

  static Signature of(
      String service,
      String name,
      List<Value> parameters,
      Value result,
      boolean isStream,
      boolean isIdempotent) {
    StringBuilder text = new StringBuilder();
    append(text.append(service).append('.').append(name).append('('), parameters);
    append(text.append(isStream ? ")stream " : ")"), List.of(result));
    return new Signature(
        service, name, parameters, result, isStream, isIdempotent, fingerprint(text.toString()));
  }

  private static void append(StringBuilder text, List<Value> values) {
    for (Value value : values) {
      text.append(value.kind()).append(' ');
      if (value.schema() != null) {
        text.append(value.schema()).append('\n');
      }
    }
  }

  private static long fingerprint(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      long first = ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
      return first == DESCRIBE ? 1 : first;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// Returns its name with that of its service: `Orders.find`.
  String fullName() {
    return service + "." + name;
  }

  /// Returns the declaration, for people: `Order Orders.find(long)`.
  String text() {
    return "%s %s(%s)"
        .formatted(
            isStream ? "Results<%s>".formatted(result.text()) : result.text(),
            fullName(),
            parameters.stream().map(Value::text).collect(Collectors.joining(", ")));
  }
}
