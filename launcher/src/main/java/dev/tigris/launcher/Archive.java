package dev.tigris.launcher;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Makes the archive of a release, which runs where there is no JDK.
/// ```text
/// tigris-VERSION-SYSTEM/bin/tigris        the script that starts it
///                       lib/*.jar         the command, our modules and the libraries
///                       lib/class-path    their names in the order that the AOT cache has them in,
///                                         but for tigris-spark, which `run --on spark:` submits
///                       lib/jvm, lib/sh   the options and the scripts of the launcher
///                       runtime/          modules of the JDK, by jlink
///                       aot/cache         classes as loaded and linked, and profiles
/// ```
///
/// Ours and the libraries are on the class path: some libraries are no modules, and jlink takes
/// modules only. The cache fits wherever the archive is unpacked, as long as all of it is.
final class Archive {
  private static final String MAIN = "dev.tigris.cli.Main";

  /// Modules of the JDK that the archive has whatever our jars require: the JDK's recorder, and
  /// those that programs of `tigris run` and their libraries may use. A checkout offers these
  /// programs all modules of a JDK.
  private static final List<String> ALWAYS =
      List.of(
          "java.se", "jdk.charsets", "jdk.httpserver", "jdk.jfr", "jdk.unsupported", "jdk.zipfs");

  private final Context context;
  private final Checkout checkout;

  Archive(Context context) {
    this.context = context;
    this.checkout = context.checkout();
  }

  /// Returns the jars of a module that was built, its own first.
  static List<Path> jars(Path module, String version) throws IOException {
    List<Path> jars = new ArrayList<>(List.of(own(module, version)));
    try (Stream<Path> libraries = Files.list(module.resolve("target/lib"))) {
      libraries.filter(jar -> jar.toString().endsWith(".jar")).sorted().forEach(jars::add);
    }
    return jars;
  }

  /// Returns the jar of a module that was built.
  static Path own(Path module, String version) throws IOException {
    String name = "%s-%s.jar".formatted(SourceCopy.artifact(module), version);
    Path own = module.resolve("target").resolve(name);
    if (!Files.exists(own)) {
      throw new NoSuchFileException(own.toString());
    }
    return own;
  }

  /// Makes the archive in a folder, and returns it.
  ///
  /// @param jars the class path of the command
  /// @param spark the jar of module spark
  Path make(String version, List<Path> jars, Path spark, Path folder)
      throws IOException, InterruptedException {
    Path home = folder.resolve("tigris-%s-%s".formatted(version, system()));
    List<Path> copied = lib(jars, home);
    Files.copy(spark, home.resolve("lib").resolve(spark.getFileName()));
    Files.delete(run(home, "lib/raise.log", raiseClassVersions(copied)));
    settle(copied);
    context.say("linking the Java of the archive");
    Files.delete(run(home, "jlink.log", jlink(copied, home)));
    context.say("training its AOT cache");
    train(copied, home);
    Path archive = folder.resolve(home.getFileName() + ".tar.gz");
    String name = home.getFileName() + "";
    Files.delete(run(folder, "tar.log", List.of("tar", "-czf", archive.toString(), name)));
    return archive;
  }

  private static String system() {
    String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64";
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).replace("mac os x", "macos")
        + "-"
        + machine;
  }

  private List<Path> lib(List<Path> jars, Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));
    List<Path> copied = new ArrayList<>();
    for (Path jar : jars) {
      copied.add(Files.copy(jar, lib.resolve(jar.getFileName())));
    }
    Files.write(
        lib.resolve("class-path"),
        copied.stream().map(jar -> String.valueOf(jar.getFileName())).toList());
    Path launcher = checkout.root().resolve("launcher/src/main");
    for (String scripts : List.of("sh", "jvm")) {
      Files.createDirectories(lib.resolve(scripts));
      try (DirectoryStream<Path> files = Files.newDirectoryStream(launcher.resolve(scripts))) {
        for (Path file : files) {
          Files.copy(file, lib.resolve(scripts).resolve(file.getFileName()));
        }
      }
    }
    Path script = lib.resolve("sh/dist.sh");
    Files.createDirectories(home.resolve("bin"));
    Path bin = Files.move(script, home.resolve("bin/tigris"));
    Files.setPosixFilePermissions(bin, PosixFilePermissions.fromString("rwxr-xr-x"));
    // On the class path there are no modules to name.
    Path options = lib.resolve("jvm/command.options");
    Files.writeString(
        options,
        Files.readString(options)
            .replaceAll("--enable-native-access=\\S+", "--enable-native-access=ALL-UNNAMED"));
    for (String file : List.of("LICENSE", "CHANGELOG.md")) {
      Files.copy(checkout.root().resolve(file), home.resolve(file));
    }
    return copied;
  }

  /// The cache takes no classes of old versions.
  private List<String> raiseClassVersions(List<Path> jars) {
    Path tool = checkout.root().resolve("cli/src/build/RaiseClassVersion.java");
    List<String> command = new ArrayList<>(List.of(context.java().toString(), tool.toString()));
    jars.stream()
        .filter(jar -> String.valueOf(jar.getFileName()).startsWith("picocli"))
        .forEach(jar -> command.add(jar.toString()));
    return command;
  }

  /// The cache knows a jar by its time, of which archives keep whole seconds.
  private static void settle(List<Path> files) throws IOException {
    for (Path file : files) {
      Instant time = Files.getLastModifiedTime(file).toInstant();
      Files.setLastModifiedTime(file, FileTime.from(time.truncatedTo(ChronoUnit.SECONDS)));
    }
  }

  private List<String> jlink(List<Path> jars, Path home) {
    List<String> command = new ArrayList<>();
    command.add(context.jdk().resolve("bin/jlink").toString());
    command.addAll(List.of("--output", home.resolve("runtime").toString()));
    command.addAll(List.of("--add-modules", String.join(",", modulesOfTheJdk(jars))));
    command.addAll(List.of("--strip-debug", "--no-header-files", "--no-man-pages"));
    command.add("--generate-cds-archive");
    return command;
  }

  /// Returns the modules of the JDK that the jars require, and [#ALWAYS]. A jar that is no module
  /// names none, and gets by with those of the others.
  private static List<String> modulesOfTheJdk(List<Path> jars) {
    ModuleFinder jdk = ModuleFinder.ofSystem();
    TreeSet<String> names = new TreeSet<>(ALWAYS);
    for (ModuleReference found : ModuleFinder.of(jars.toArray(Path[]::new)).findAll()) {
      for (ModuleDescriptor.Requires required : found.descriptor().requires()) {
        if (jdk.find(required.name()).isPresent()) {
          names.add(required.name());
        }
      }
    }
    return List.copyOf(names);
  }

  private void train(List<Path> jars, Path home) throws IOException, InterruptedException {
    Path modules = home.resolve("runtime/lib/modules");
    settle(List.of(modules));
    Files.createDirectories(home.resolve("aot"));
    Path work = Files.createDirectories(home.resolveSibling("work"));
    List<String> command = new ArrayList<>();
    command.add(home.resolve("runtime/bin/java").toString());
    command.add("-XX:AOTCacheOutput=" + home.resolve("aot/cache"));
    command.add("-XX:CompilationMode=default");
    command.add("@" + home.resolve("lib/jvm/rare.options"));
    command.add("@" + home.resolve("lib/jvm/command.options"));
    command.add("-cp");
    command.add(jars.stream().map(Path::toString).collect(Collectors.joining(":")));
    command.addAll(List.of(MAIN, "train"));
    Path said = run(work, "../training.log", command);
    Checkout.delete(work);
    if (!Files.exists(home.resolve("aot/cache"))) {
      throw Refusal.cannotRun("the AOT cache was not made: see " + said);
    }
    Files.delete(said);
  }

  /// Runs a program in a folder, and ends all if it fails. Returns the file with what it said.
  private Path run(Path folder, String log, List<String> command)
      throws IOException, InterruptedException {
    Path said = folder.resolve(log).normalize();
    int code =
        context.run(
            context
                .process(folder, command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(said.toFile())));
    if (code != 0) {
      throw Refusal.cannotRun(
          "%s ended with exit code %d: see %s".formatted(command.getFirst(), code, said));
    }
    return said;
  }
}
