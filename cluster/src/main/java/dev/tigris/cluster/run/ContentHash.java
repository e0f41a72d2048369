package dev.tigris.cluster.run;

import dev.tigris.cluster.Exchange;
import dev.tigris.flow.Flow;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.net.Fabric;
import dev.tigris.os.ClassPlace;
import dev.tigris.os.Folders;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// SHA-256 of jars and folders of classes, so that equal ones are known on other hosts.
///
/// A file is read again only when its state says that it was changed: a sort on hosts connects to
/// them up to three times, and a worker is asked by one program after the other.
final class ContentHash {
  /// One class of each module that a worker needs.
  private static final List<Class<?>> OF_TIGRIS =
      List.of(Exchange.class, Flow.class, Bundle.class, Fabric.class, Jbuf.class, Folders.class);

  private static final int BUFFER_BYTES = 1 << 16;

  /// More than a program has, but for one of very many classes.
  private static final int MOST_KNOWN = 20_000;

  /// A file system may tell times to two seconds, so that a later change has the same.
  private static final long YOUNG_MILLIS = 2_000;

  private static final Map<Path, Known> KNOWN = new ConcurrentHashMap<>();

  /// A hash, and the state of the file from which it was taken: its size, inode and times.
  private record Known(Map<String, Object> state, String hash) {}

  private ContentHash() {}

  /// Returns the hash of a jar, or of all files of a folder with their names.
  ///
  /// @throws IOException if it cannot be read
  static String of(Path entry) throws IOException {
    if (!Files.isDirectory(entry)) {
      return ofFile(entry);
    }
    MessageDigest all = digest();
    for (Map.Entry<String, String> file : ofFiles(entry).entrySet()) {
      all.update((file.getKey() + "\0" + file.getValue() + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return hex(all.digest());
  }

  /// Returns the hash of each file in a folder, or of a jar, by a name for people.
  static Map<String, String> ofFiles(Path entry) throws IOException {
    Map<String, String> hashes = new TreeMap<>();
    List<Path> files;
    try (Stream<Path> walked = Files.walk(entry)) {
      files = walked.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path within = file.equals(entry) ? entry.getFileName() : entry.relativize(file);
      String _ = hashes.put("the file " + within, ofFile(file));
    }
    return hashes;
  }

  /// Returns the hash of the modules of Tigris that a worker needs.
  static String ofTigris() throws IOException {
    Set<Path> places = new LinkedHashSet<>();
    for (Class<?> each : OF_TIGRIS) {
      places.add(ClassPlace.of(each));
    }
    MessageDigest all = digest();
    for (Path place : places) {
      all.update(of(place).getBytes(StandardCharsets.UTF_8));
    }
    return hex(all.digest());
  }

  /// Returns the hash of the jar or folder that a class is from.
  static String of(Class<?> program) throws IOException {
    return of(ClassPlace.of(program));
  }

  private static String ofFile(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Map<String, Object> state =
        Files.readAttributes(absolute, "unix:size,ino,dev,ctime,lastModifiedTime");
    Known known = KNOWN.get(absolute);
    if (known != null && known.state.equals(state)) {
      return known.hash;
    }
    String hash = hex(read(absolute));
    boolean isOld =
        state.get("ctime") instanceof FileTime changed
            && changed.toMillis() < System.currentTimeMillis() - YOUNG_MILLIS;
    if (isOld) {
      if (KNOWN.size() >= MOST_KNOWN) {
        KNOWN.clear();
      }
      KNOWN.put(absolute, new Known(state, hash));
    }
    return hash;
  }

  private static byte[] read(Path file) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
