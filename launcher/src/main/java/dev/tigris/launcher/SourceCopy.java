package dev.tigris.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The sources of a checkout under another version: what a release is built from, without tests.
///
/// @param root the folder of the parent pom
/// @param version of every module
record SourceCopy(Path root, String version) {
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>tigris</artifactId>\\s*<version>([^<]+)</version>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(tigris[^<]*)</artifactId>");
  private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
  private static final String UNPUBLISHED = "<maven.deploy.skip>true<";
  private static final List<String> BESIDE_MODULES = List.of("LICENSE", ".mvn");
  private static final List<String> OF_A_MODULE = List.of("src/main", "src/build");

  /// Copies a checkout.
  static SourceCopy of(Checkout checkout, String version, Path to) throws IOException {
    Path from = checkout.root();
    String before = version(from.resolve("pom.xml"));
    for (String name : BESIDE_MODULES) {
      copy(from.resolve(name), to.resolve(name));
    }
    List<Path> poms = new ArrayList<>(List.of(from.resolve("pom.xml")));
    for (Path module : checkout.modules()) {
      poms.add(module.resolve("pom.xml"));
      for (String name : OF_A_MODULE) {
        copy(module.resolve(name), to.resolve(from.relativize(module)).resolve(name));
      }
    }
    for (Path pom : poms) {
      Path copied = to.resolve(from.relativize(pom));
      Files.createDirectories(copied.resolveSibling("."));
      String text = Files.readString(pom);
      Files.writeString(copied, text.replace(named("version", before), named("version", version)));
    }
    return new SourceCopy(to, version);
  }

  private static String named(String element, String text) {
    return "<%1$s>%2$s</%1$s>".formatted(element, text);
  }

  private static String version(Path pom) throws IOException {
    Matcher match = VERSION.matcher(Files.readString(pom));
    if (!match.find()) {
      throw new IOException(pom + " has no version");
    }
    return match.group(1);
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.exists(from)) {
      return;
    }
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        Files.createDirectories(target.resolveSibling("."));
        Files.copy(file, target);
      }
    }
  }

  /// The names of the modules that a repository has.
  List<String> published() throws IOException {
    List<String> published = new ArrayList<>();
    for (Path module : new Checkout(root).modules()) {
      if (!Files.readString(module.resolve("pom.xml")).contains(UNPUBLISHED)) {
        published.add(String.valueOf(module.getFileName()));
      }
    }
    return published;
  }

  /// The name that the pom in a folder gives its artifact.
  static String artifact(Path folder) throws IOException {
    String pom = Files.readString(folder.resolve("pom.xml"));
    Matcher match = ARTIFACT.matcher(PARENT.matcher(pom).replaceFirst(""));
    if (!match.find()) {
      throw new IOException(folder + "/pom.xml has no artifact of ours");
    }
    return match.group(1);
  }
}
