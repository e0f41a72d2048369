package dev.tigris.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.tigris.sort.UInt128;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One JSON object on one line, for programs.
final class Json {
  private Json() {}

  /// Returns the first members of what a command prints that went well.
  static Map<String, Object> success(String command) {
    var members = new LinkedHashMap<String, Object>();
    members.put("command", command);
    members.put("status", "ok");
    return members;
  }

  /// Returns the members in the order of the map. Values are strings, numbers, booleans, null, and
  /// maps and lists of such.
  static String object(Map<String, ?> members) {
    return value(members);
  }

  /// Returns one value, of those that an object may have.
  static String value(@Nullable Object value) {
    var text = new StringWriter();
    try (JsonGenerator generator = new JsonFactory().createGenerator(text)) {
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot be written to", e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> generator.writeNull();
      case Map<?, ?> members -> {
        generator.writeStartObject();
        for (var member : members.entrySet()) {
          generator.writeFieldName(String.valueOf(member.getKey()));
          write(generator, member.getValue());
        }
        generator.writeEndObject();
      }
      case Iterable<?> items -> {
        generator.writeStartArray();
        for (Object item : items) {
          write(generator, item);
        }
        generator.writeEndArray();
      }
      case Long number -> generator.writeNumber(number);
      case Integer number -> generator.writeNumber(number);
      case Double number -> generator.writeNumber(number);
      case UInt128 number -> generator.writeNumber(number.toString());
      case Boolean truth -> generator.writeBoolean(truth);
      default -> generator.writeString(value.toString());
    }
  }
}
