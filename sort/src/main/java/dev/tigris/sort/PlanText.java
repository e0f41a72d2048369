package dev.tigris.sort;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;

/// The text by which the process that starts a sort tells the others what all have to know alike.
final class PlanText {
  private PlanText() {}

  /// Writes what is told.
  interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  /// Reads what a [Writer] has written.
  interface Reader<T> {
    T read(DataInputStream in) throws IOException;
  }

  static String of(Writer writer) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      writer.write(out);
    } catch (IOException e) { // memory does not fail so
      throw new UncheckedIOException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /// @throws IOException if the text is no such
  static <T> T read(String text, Reader<T> reader) throws IOException {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IOException("the plan of a sort is no Base64", e);
    }
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return reader.read(in);
    }
  }
}
