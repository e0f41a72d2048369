package dev.tigris.verify.tidy;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A checkout of this repository: its modules, their sources and their compiled classes.
///
/// The modules are those that the parent pom lists, so that a new one is looked at from its first
/// day on; a folder that has a pom and is not listed is an error.
///
/// @param root the folder of the parent pom
public record Checkout(Path root) {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  /// Finds the checkout that the current folder lies in.
  public static Checkout ofCurrentFolder() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("tigris")) || !Files.exists(folder.resolve("pom.xml"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("run this inside a checkout of Tigris");
      }
    }
    return new Checkout(folder);
  }

  /// The modules in the order of the parent pom.
  ///
  /// @throws IllegalStateException if a folder with a pom is not among them
  public List<String> modules() throws IOException {
    var modules = new ArrayList<String>();
    Matcher matcher = MODULE.matcher(Files.readString(root.resolve("pom.xml")));
    while (matcher.find()) {
      modules.add(matcher.group(1).strip());
    }
    try (Stream<Path> folders = Files.list(root)) {
      for (Path folder : folders.toList()) {
        String name = String.valueOf(folder.getFileName());
        if (Files.exists(folder.resolve("pom.xml")) && !modules.contains(name)) {
          throw new IllegalStateException(
              "%s has a pom.xml but pom.xml does not list it: add <module>%s</module>, or remove it"
                  .formatted(folder, name));
        }
      }
    }
    return modules;
  }

  /// Whether a module has no sources, or has its classes where Maven puts them.
  public boolean isCompiled(String module) throws IOException {
    return filesUnder(root.resolve(module).resolve("src/main"), ".java").isEmpty()
        || !filesUnder(root.resolve(module).resolve("target/classes"), ".class").isEmpty();
  }

  /// The Java sources of a module, tests included.
  public List<Path> sources(String module) throws IOException {
    return filesUnder(root.resolve(module).resolve("src"), ".java");
  }

  /// The classes of a module that were compiled from its own sources; classes that annotation
  /// processors generated are not ours to tidy.
  public List<CompiledClass> classes(String module) throws IOException {
    var classes = new ArrayList<CompiledClass>();
    for (String kind : List.of("main", "test")) {
      Path sources = root.resolve(module).resolve("src").resolve(kind).resolve("java");
      Path compiled =
          root.resolve(module)
              .resolve("target")
              .resolve(kind.equals("main") ? "classes" : "test-classes");
      for (Path file : filesUnder(compiled, ".class")) {
        ClassModel model = ClassFile.of().parse(file);
        var found = new CompiledClass(module, kind.equals("test"), model, sources);
        if (Files.exists(found.source()) && !model.isModuleInfo()) {
          classes.add(found);
        }
      }
    }
    return classes;
  }

  private static List<Path> filesUnder(Path folder, String suffix) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
    }
  }
}
