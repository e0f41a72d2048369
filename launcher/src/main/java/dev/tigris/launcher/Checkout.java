package dev.tigris.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A checkout of this repository and its folder `build/`, where the launcher keeps its files.
/// ```text
/// build/java            the folder of the JDK that the PATH led to
///       launcher.lock   the lock of the one process that builds, trains or tests
///       jars/MODULE/    the jars of a module and those that it needs
///       MODULE.stamp    as old as the start of the build that made them
///       MODULE.log      the output of that build
///       aot/            the AOT cache, its log, and `trained`: the JDK and the folder it fits
///       jdk/, maven/    a JDK and a Maven that the launcher fetched
///       fuzz/           the fuzzer and its findings
///       dist/VERSION/   a release
/// ```
///
/// @param root the folder of the parent pom
record Checkout(Path root) {
  /// Modules that the jars of a module never depend on.
  private static final Set<String> OUTSIDE_THE_COMMAND =
      Set.of("bench", "examples", "verify", "test-support");

  Path build() {
    return root.resolve("build");
  }

  Path jars(String module) {
    return build().resolve("jars").resolve(module);
  }

  Path stamp(String module) {
    return build().resolve(module + ".stamp");
  }

  Path log(String module) {
    return build().resolve(module + ".log");
  }

  /// A file with options of Java.
  Path options(String name) {
    return root.resolve("launcher/src/main/jvm").resolve(name + ".options");
  }

  /// Makes `build/`, and checks that this process can write there.
  void makeBuild() {
    try {
      Files.createDirectories(build());
    } catch (IOException e) {
      throw Refusal.cannotRun("cannot make the folder " + build() + ": " + e);
    }
    if (!Files.isWritable(build())) {
      throw Refusal.cannotRun(
          "the folder "
              + build()
              + " may not be written to: its owner can build with ./tigris help");
    }
  }

  /// Whether a module was built, and no source of the product (or of it) changed since. The script
  /// asks this by `find` at each start.
  boolean isBuilt(String module) throws IOException {
    Path stamp = stamp(module);
    if (!Files.exists(stamp) || !Files.isDirectory(jars(module))) {
      return false;
    }
    FileTime built = Files.getLastModifiedTime(stamp);
    for (Path source : sources(module)) {
      if (hasNewer(source, built)) {
        return false;
      }
    }
    return true;
  }

  private List<Path> sources(String module) throws IOException {
    var sources = new ArrayList<Path>();
    sources.add(root.resolve("tigris"));
    sources.add(root.resolve("pom.xml"));
    for (Path folder : modules()) {
      if (!module.equals("cli")
          || !OUTSIDE_THE_COMMAND.contains(String.valueOf(folder.getFileName()))) {
        sources.add(folder.resolve("pom.xml"));
        sources.add(folder.resolve("src/main"));
        sources.add(folder.resolve("src/build"));
      }
    }
    return sources;
  }

  /// The folders of the modules, by name.
  List<Path> modules() throws IOException {
    try (Stream<Path> folders = Files.list(root)) {
      return folders.filter(folder -> Files.exists(folder.resolve("pom.xml"))).sorted().toList();
    }
  }

  private static boolean hasNewer(Path source, FileTime time) throws IOException {
    if (!Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (Stream<Path> walk = Files.walk(source)) {
      for (Path path : (Iterable<Path>) walk::iterator) {
        if (Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).compareTo(time) > 0) {
          return true;
        }
      }
    } catch (NoSuchFileException | UncheckedIOException e) {
      return true; // it changes right now
    }
    return false;
  }

  /// Deletes a file, or a folder with all in it, if it is there.
  static void delete(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> walk = Files.walk(path)) {
      for (Path each : walk.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
