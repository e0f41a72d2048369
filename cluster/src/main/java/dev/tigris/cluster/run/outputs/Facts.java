package dev.tigris.cluster.run.outputs;

import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.os.Folders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

  /// Makes a new file with these lines that only this user can read, and returns it open.
  ///
  /// @throws IOException if it cannot be written, or is there already
  public static FileChannel create(Path file, Map<String, String> facts) throws IOException {
    FileChannel made = createOwn(file);
    try {
      write(made, text(new TreeMap<>(facts)));
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// Makes a new file that only this user can read, and returns it open.
  public static FileChannel createOwn(Path file) throws IOException {
    try {
      return FileChannel.open(
          file,
          Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException e) {
      throw new IOException(file + " exists already: another run has this folder", e);
    }
  }

  /// Reads a file that [#create] has written.
  ///
  /// @return the values without their escapes, by name
  /// @throws IOException if it cannot be read, others can write to it, or it is of another version
  public static Map<String, String> readOwn(Path file) throws IOException {
    var permissions = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
    if (!PosixFilePermissions.fromString("rw-------").containsAll(permissions)) {
      throw new IOException(
          "%s can be read by others (%s): it must have the permissions rw-------"
              .formatted(file, PosixFilePermissions.toString(permissions)));
    }
    Facts facts = read(file);
    String _ = facts.need("version"); // an empty file tells nothing
    return facts.plain();
  }

  /// Returns the values without their escapes, by name.
  public Map<String, String> plain() throws IOException {
    Map<String, String> plain = new TreeMap<>();
    for (Fact fact : all) {
      plain.put(fact.name(), fact.plain());
    }
    return plain;
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
