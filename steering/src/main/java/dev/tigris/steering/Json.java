package dev.tigris.steering;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// JSON as maps, lists, texts, whole and other numbers, truths and null. It comes from strangers:
/// each bound is checked as it is read.
final class Json {
  private static final int DEEPEST = 32;
  private static final int LONGEST_NAME = 1_000;
  private static final int LONGEST_NUMBER = 64;

  /// The longest text in JSON that this reads.
  private static final int LONGEST_TEXT = 1 << 20;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNameLength(LONGEST_NAME)
                  .maxNumberLength(LONGEST_NUMBER)
                  .maxStringLength(LONGEST_TEXT)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  /// Returns the text of a value.
  static String text(@Nullable Object value) {
    var text = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(text)) {
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot be written to", e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator to, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> to.writeNull();
      case Map<?, ?> members -> {
        to.writeStartObject();
        for (Map.Entry<?, ?> member : members.entrySet()) {
          to.writeFieldName(String.valueOf(member.getKey()));
          write(to, member.getValue());
        }
        to.writeEndObject();
      }
      case Iterable<?> items -> {
        to.writeStartArray();
        for (Object item : items) {
          write(to, item);
        }
        to.writeEndArray();
      }
      case Long number -> to.writeNumber(number);
      case Integer number -> to.writeNumber(number);
      case Double number -> to.writeNumber(number);
      case Boolean truth -> to.writeBoolean(truth);
      default -> to.writeString(value.toString());
    }
  }

  /// Reads one object, behind which nothing follows.
  ///
  /// @throws IOException if this text is none
  static Map<String, @Nullable Object> object(String text) throws IOException {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it is no JSON object");
      }
      Map<String, @Nullable Object> members = members(parser);
      if (parser.nextToken() != null) {
        throw new IOException("something follows the JSON object");
      }
      return members;
    }
  }

  private static Map<String, @Nullable Object> members(JsonParser parser) throws IOException {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken _ = parser.nextToken();
      members.put(name, value(parser));
    }
    return members;
  }

  private static @Nullable Object value(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> members(parser);
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser));
        }
        yield items;
      }
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case null, default -> throw new IOException("JSON ends too early, or has a " + token);
    };
  }
}
