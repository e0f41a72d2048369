package dev.tigris.flow.text;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Reads the first row of a file, which names its columns.
final class Names {
  private Names() {}

  /// Returns the fields of a row of CSV or of fields without quotes.
  static String[] of(byte[] row, byte separator, boolean isCsv) {
    List<String> names = new ArrayList<>();
    var name = new ByteArrayOutputStream();
    boolean inside = false;
    byte before = 0;
    for (byte b : row) {
      if (b == Scan.QUOTE && isCsv) {
        if (!inside && before == Scan.QUOTE) {
          name.write(b); // the second of two
        }
        inside = !inside;
      } else if (b == separator && !inside) {
        names.add(name.toString(StandardCharsets.UTF_8));
        name.reset();
      } else {
        name.write(b);
      }
      before = b;
    }
    names.add(name.toString(StandardCharsets.UTF_8));
    return names.toArray(String[]::new);
  }

  /// Returns the row that has these fields.
  static byte[] row(List<String> names, byte separator) {
    var row = new StringBuilder();
    for (String name : names) {
      row.append(row.isEmpty() ? "" : String.valueOf((char) separator));
      boolean quoted =
          name.isEmpty()
              || name.indexOf(separator) >= 0
              || name.indexOf('"') >= 0
              || name.indexOf('\n') >= 0
              || name.indexOf('\r') >= 0;
      row.append(quoted ? '"' + name.replace("\"", "\"\"") + '"' : name);
    }
    return row.toString().getBytes(StandardCharsets.UTF_8);
  }
}
