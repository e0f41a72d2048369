package dev.tigris.cluster.run;

import dev.tigris.cluster.Exchange;
import dev.tigris.flow.Flow;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.net.Fabric;
import dev.tigris.os.Folders;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// SHA-256 of jars and folders of classes, so that equal ones are known on other hosts.
final class ContentHash {
  /// One class of each module that a worker needs.
  private static final List<Class<?>> OF_TIGRIS =
      List.of(Exchange.class, Flow.class, Bundle.class, Fabric.class, Jbuf.class, Folders.class);

  private static final int BUFFER_BYTES = 1 << 16;

  private ContentHash() {}

  /// Returns the hash of a jar, or of all files of a folder with their names.
  ///
  /// @throws IOException if it cannot be read
  static String of(Path entry) throws IOException {
    if (!Files.isDirectory(entry)) {
      return hex(ofFile(entry));
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
      String _ = hashes.put("the file " + within, hex(ofFile(file)));
    }
    return hashes;
  }

  /// Returns the hash of the modules of Tigris that a worker needs.
  static String ofTigris() throws IOException {
    Set<Path> places = new LinkedHashSet<>();
    for (Class<?> each : OF_TIGRIS) {
      places.add(placeOf(each));
    }
    MessageDigest all = digest();
    for (Path place : places) {
      all.update(of(place).getBytes(StandardCharsets.UTF_8));
    }
    return hex(all.digest());
  }

  /// Returns the hash of the jar or folder that a class is from.
  static String of(Class<?> program) throws IOException {
    return of(placeOf(program));
  }

  private static Path placeOf(Class<?> each) throws IOException {
    CodeSource source = each.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IOException("it is not known where the code of %s lies".formatted(each));
    }
    try {
      return Path.of(source.getLocation().toURI());
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new IOException("the code of %s is in no file".formatted(each), e);
    }
  }

  private static byte[] ofFile(Path file) throws IOException {
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
