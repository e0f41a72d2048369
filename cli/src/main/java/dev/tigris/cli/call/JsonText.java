package dev.tigris.cli.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads JSON: objects as maps, arrays as lists, numbers as `BigDecimal`.
final class JsonText {
  /// The parser's own words for a place in its input, which is one word of a command line.
  private static final Pattern PLACE = Pattern.compile(" \\((?:start marker )?at \\[.*\\]\\)");

  private JsonText() {}

  static @Nullable Object parse(String text) throws CallInputException {
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new CallInputException("an argument is empty: write \"\" for an empty text");
      }
      Object value = value(parser, first);
      if (parser.nextToken() != null) {
        throw new CallInputException("'%s' goes on behind its end".formatted(text));
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new CallInputException(
          "'%s' is no JSON: %s"
              .formatted(text, PLACE.matcher(e.getOriginalMessage()).replaceAll("")),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot be read", e);
    }
  }

  private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          members.put(name, value(parser, parser.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        for (JsonToken next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          items.add(value(parser, next));
        }
        yield items;
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> parser.getText();
    };
  }
}
