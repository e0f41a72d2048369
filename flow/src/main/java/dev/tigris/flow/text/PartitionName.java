package dev.tigris.flow.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/// The name of a folder that stands for a value, as Hive and Spark write it: a character that has a
/// meaning of its own there is a percent sign and two hexadecimal digits. So is each byte of text
/// that is not UTF-8, or that the system's file names cannot hold. Equal names mean equal values.
final class PartitionName {
  /// Stands for a missing value.
  private static final String NOTHING = "__HIVE_DEFAULT_PARTITION__";

  private static final String ESCAPED = "\"#%'*/:=?\\{[]^\u007f";

  private PartitionName() {}

  static String of(byte[] value) {
    if (value.length == 0) {
      return NOTHING;
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
      String name = escaped(text, Character.MAX_VALUE);
      Path _ = Path.of(name);
      return name;
    } catch (CharacterCodingException | InvalidPathException _) {
      return escaped(new String(value, StandardCharsets.ISO_8859_1), 0x7f);
    }
  }

  /// Escapes what has a meaning of its own, and what is greater than `last`.
  private static String escaped(String text, int last) {
    var name = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > last || ESCAPED.indexOf(c) >= 0) {
        name.append("%%%02X".formatted((int) c));
      } else {
        name.append(c);
      }
    }
    return name.toString();
  }
}
