package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/// The text by which the process that starts a sort tells the others what all have to know alike.
/// It is compressed, since the names of many files are much alike, and a run's facts have a bound.
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
    try (var out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
      writer.write(out);
    } catch (IOException e) { // memory does not fail so
      throw new UncheckedIOException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /// Returns the text that the process which starts a run has written to a file. Only that process
  /// reads the file.
  ///
  /// @param arguments the output, for people, and the file
  /// @throws IOException if there is no such file
  static String told(Arguments arguments) throws IOException {
    Path file = Path.of(arguments.word(1));
    return arguments.fact("plan", () -> Files.readString(file));
  }

  /// @throws IOException if the text is no such
  static <T> T read(String text, Reader<T> reader) throws IOException {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IOException("the plan of a sort is no Base64", e);
    }
    try (var in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
      return reader.read(in);
    }
  }
}
