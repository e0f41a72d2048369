package dev.tigris.cluster.run.outputs;

import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.os.Folders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The lines of a file, `NAME=VALUE`, of which the last one may seal the others by a checksum.
///
/// ```
///   version=1
///   run=0123456789abcdef0123456789abcdef
///   ...
///   end=8f00ba2c           CRC-32C of all bytes before this line
/// ```
///
/// In a value, `%`, tabs and ends of lines are written as `%` and two hexadecimal digits. The
/// lines end with a line feed; a last line without one was not written to its end, and is none.
public final class Facts {
  static final String VERSION = "1";
  private static final String END = "end";
  private static final HexFormat HEX = HexFormat.of();

  /// One line.
  ///
  /// @param name what stands before the `=`
  /// @param value the value, as it is written
  public record Fact(String name, String value) {
    /// Returns the value without its escapes.
    public String plain() throws IOException {
      return Facts.plain(value);
    }
  }

  private final Path file;
  private final List<Fact> all;
  private final boolean sealed;

  private Facts(Path file, List<Fact> all, boolean sealed) {
    this.file = file;
    this.all = all;
    this.sealed = sealed;
  }

  static String line(String name, String value) {
    return name + "=" + escaped(value) + "\n";
  }

  /// Returns the text of a file of this version.
  public static String text(Map<String, String> facts) {
    StringBuilder text = new StringBuilder(line("version", VERSION));
    facts.forEach((name, value) -> text.append(line(name, value)));
    return text.toString();
  }

  /// Writes text at the place of a channel.
  public static void write(FileChannel to, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      int _ = to.write(bytes);
    }
  }

  /// Brings the name of a file in a run's folder to the disk, and that of the folder.
  static void syncName(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException(file + " is in no folder");
    }
    boolean _ = Folders.sync(folder, file);
    Path runs = folder.getParent();
    if (runs != null) {
      boolean _ = Folders.sync(runs, folder);
    }
  }

  static String seal(String before) {
    var checksum = new CRC32C();
    checksum.update(before.getBytes(StandardCharsets.UTF_8));
    return line(END, HEX.toHexDigits((int) checksum.getValue()));
  }

  /// Reads a file of this version.
  public static Facts read(Path file) throws IOException {
    return of(file, Files.readString(file));
  }

  /// Reads the text of a file of this version.
  static Facts of(Path file, String text) throws IOException {
    List<Fact> all = new ArrayList<>();
    boolean sealed = false;
    int from = 0;
    for (int to = text.indexOf('\n'); to >= 0 && !sealed; to = text.indexOf('\n', from)) {
      String line = text.substring(from, to);
      int at = line.indexOf('=');
      if (at < 1) {
        throw new IOException("%s has a line '%s', and not NAME=VALUE".formatted(file, line));
      }
      sealed = line.startsWith(END + "=") && seal(text.substring(0, from)).equals(line + "\n");
      all.add(new Fact(line.substring(0, at), line.substring(at + 1)));
      from = to + 1;
    }
    Facts facts = new Facts(file, all, sealed);
    if (!all.isEmpty() && !VERSION.equals(facts.find("version"))) {
      throw new IOException(
          "%s is of version %s: use the tigris that wrote it; this one reads version %s"
              .formatted(file, facts.find("version"), VERSION));
    }
    return facts;
  }

  /// Returns whether its last line is there and right.
  boolean isSealed() {
    return sealed;
  }

  /// Returns the lines, in their order.
  public List<Fact> all() {
    return all;
  }

  @Nullable String find(String name) {
    return all.stream()
        .filter(fact -> fact.name().equals(name))
        .map(Fact::value)
        .findFirst()
        .orElse(null);
  }

  /// Returns the value of a line, as it is written.
  ///
  /// @throws IOException if there is no such line
  public String need(String name) throws IOException {
    String value = find(name);
    if (value == null) {
      throw new IOException("%s has no line '%s=': it is damaged".formatted(file, name));
    }
    return value;
  }

  int needNumber(String name) throws IOException {
    String value = need(name);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IOException(
          "%s has %s=%s, which is no number: it is damaged".formatted(file, name, value), e);
    }
  }

  static RunId run(Path file, String value) throws IOException {
    try {
      return RunId.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IOException("%s is damaged: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static String escaped(String value) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '%' || c == '\t' || c == '\n' || c == '\r') {
        text.append('%').append(HEX.toHexDigits((byte) c));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  private static String plain(String value) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '%') {
        if (i + 2 >= value.length()) {
          throw new IOException("'%s' ends in the middle of an escape".formatted(value));
        }
        try {
          text.append((char) HexFormat.fromHexDigits(value, i + 1, i + 3));
        } catch (NumberFormatException e) {
          throw new IOException("'%s' has no escape after a %%".formatted(value), e);
        }
        i += 2;
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
