package dev.tigris.cluster.run;

import dev.tigris.memory.Jbuf;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The command that starts a worker as this process was started: with its class path and module
/// path, agents, properties and other options. The memory and the processors of the host are
/// divided among the workers.
///
/// @param code where the classes come from
/// @param options the options of the JVM
record JavaCommand(CodePath code, List<String> options) {
  private static final long LEAST_HEAP_BYTES = 64L << 20;
  private static final long LEAST_JBUF_BYTES = 16L << 20;
  private static final String JBUFS = "-Dtigris.memory.budget=";

  /// The part of the machine's memory that the heap of a JVM takes by default.
  private static final double USUAL_HEAP_PERCENT = 25;

  /// Options that belong to one process: what it runs, files that it writes, ports that it has.
  private static final List<String> OWN =
      List.of(
          "-Djava.class.path=",
          "-Djdk.module.",
          "-Dloader.main=",
          JBUFS,
          "--module-path",
          "-agentlib:jdwp",
          "-Xrunjdwp",
          "-Dcom.sun.management.",
          "-XX:StartFlightRecording",
          "-XX:FlightRecorderOptions",
          "-XX:ActiveProcessorCount=",
          "-XX:AOTCacheOutput",
          "-XX:AOTConfiguration",
          "-XX:AOTMode=record",
          "-XX:ArchiveClassesAtExit",
          "-XX:OnError",
          "-XX:OnOutOfMemoryError",
          "-XX:ErrorFile");

  /// Names the main class of workers whose parent is made of modules, as `MODULE/CLASS`: one of the
  /// parent's own main module, which calls that of [Main]. An AOT cache is of one main module, so
  /// the workers can use that of their parent. It fits whatever class path they have besides.
  private static final String MAIN = "-Dtigris.process.main=";

  private static final List<String> HEAP = List.of("-Xmx", "-Xms", "-XX:MaxRAM", "-XX:InitialRAM");

  JavaCommand {
    options = List.copyOf(options);
  }

  /// Returns the command for each of several workers that share the host with each other.
  ///
  /// @param count how many
  /// @param code where the classes come from
  /// @param dividesHeap whether the size of this process's heap is divided; else that which a JVM
  ///     has by default
  static JavaCommand ofThisProcess(int count, CodePath code, boolean dividesHeap) {
    List<String> given = ManagementFactory.getRuntimeMXBean().getInputArguments();
    return of(given, count, code, dividesHeap, isNativeAccessGiven());
  }

  static JavaCommand of(
      List<String> given, int count, CodePath code, boolean dividesHeap, boolean isNative) {
    List<String> options = new ArrayList<>();
    boolean saysNative = false;
    boolean hasHeap = false;
    for (String option : given) {
      if (OWN.stream().anyMatch(option::startsWith) || isLogToFile(option)) {
        continue;
      }
      if (HEAP.stream().anyMatch(option::startsWith)) {
        hasHeap |= option.startsWith("-Xmx") || option.startsWith("-XX:MaxRAM");
        continue;
      }
      saysNative |= option.startsWith("--enable-native-access");
      options.add(option);
    }
    if (isNative && !saysNative) { // the manifest of the jar that was started has said so
      options.add("--enable-native-access=ALL-UNNAMED");
    }
    if (hasHeap && dividesHeap) {
      long each = Math.max(LEAST_HEAP_BYTES, Runtime.getRuntime().maxMemory() / count);
      options.add("-Xmx" + each);
    } else {
      options.add(
          String.format(Locale.ROOT, "-XX:MaxRAMPercentage=%.3f", USUAL_HEAP_PERCENT / count));
    }
    int processors = Math.max(1, Runtime.getRuntime().availableProcessors() / count);
    options.add("-XX:ActiveProcessorCount=" + processors);
    long jbufs = Math.max(LEAST_JBUF_BYTES, Jbuf.use().budgetBytes() / count);
    options.add(JBUFS + jbufs);
    JavaCommand command = new JavaCommand(code, options);
    boolean hasNoMainModule = code.modulePath().isEmpty() && !code.classPath().isEmpty();
    boolean fitsCache = hasNoMainModule || !command.givenMain().isEmpty();
    return fitsCache ? command : command.withoutAotCache();
  }

  /// Returns the main class that was given for workers such as these; empty if none was.
  private String givenMain() {
    return options.stream()
        .filter(option -> option.startsWith(MAIN) && !code.modulePath().isEmpty())
        .map(option -> option.substring(MAIN.length()))
        .findFirst()
        .orElse("");
  }

  /// The form is `-Xlog:WHAT:OUTPUT:...`, where each part may be left out.
  private static boolean isLogToFile(String option) {
    if (option.startsWith("-Xloggc:")) {
      return true;
    }
    String[] parts = option.split(":", -1);
    String output = option.startsWith("-Xlog:") && parts.length > 2 ? parts[2] : "";
    return !output.isEmpty() && !output.equals("stdout") && !output.equals("stderr");
  }

  private static boolean isNativeAccessGiven() {
    Module module = JavaCommand.class.getModule();
    return !module.isNamed() && module.isNativeAccessEnabled();
  }

  /// Returns a copy without the AOT cache of this process. Java neither notes classes for a cache
  /// while it uses one, nor uses two. If it is given one that does not fit, it does without its own
  /// archive, too, and takes longer to start than without any.
  JavaCommand withoutAotCache() {
    return new JavaCommand(
        code, options.stream().filter(option -> !option.startsWith("-XX:AOT")).toList());
  }

  /// Returns a copy with more options.
  JavaCommand with(List<String> others) {
    List<String> more = new ArrayList<>(options);
    more.addAll(others);
    return new JavaCommand(code, more);
  }

  /// Returns the words of the command, whose options are in a file.
  ///
  /// @param optionsFile has the text of [#optionsFile()]
  List<String> words(Path optionsFile, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("@" + optionsFile);
    String given = givenMain();
    if (!code.launcher().isEmpty()) {
      words.add(code.launcher());
    } else if (!given.isEmpty()) {
      words.addAll(List.of("-m", given));
    } else if (!code.classPath().isEmpty()) {
      words.add(Main.class.getName());
    } else { // by its name alone, it would have the current folder on its class path
      words.addAll(List.of("-m", Main.class.getModule().getName() + "/" + Main.class.getName()));
    }
    words.addAll(List.of(arguments));
    return words;
  }

  /// Returns all options as `java @FILE` reads them, one a line. On the command line all users of
  /// the host could read them, and so what a file or the environment has told this process alone.
  String optionsFile() {
    StringBuilder text = new StringBuilder();
    for (String word : allOptions()) {
      text.append('"');
      for (int i = 0; i < word.length(); i++) {
        char c = word.charAt(i);
        switch (c) {
          case '\\', '"' -> text.append('\\').append(c);
          case '\n' -> text.append("\\n");
          case '\r' -> text.append("\\r");
          default -> text.append(c);
        }
      }
      text.append("\"\n");
    }
    return text.toString();
  }

  private List<String> allOptions() {
    List<String> words = new ArrayList<>(options);
    if (!code.modulePath().isEmpty()) {
      words.add("--module-path=" + code.modulePath());
      Set<String> roots = new LinkedHashSet<>();
      Module own = Main.class.getModule();
      if (own.isNamed()) {
        roots.add(own.getName());
      }
      String started = System.getProperty("jdk.module.main", "");
      if (!started.isEmpty()) {
        roots.add(started);
      }
      if (!roots.isEmpty() && givenMain().isEmpty()) { // else its main module needs ours
        words.add("--add-modules=" + String.join(",", roots));
      }
    }
    if (!code.classPath().isEmpty()) {
      words.add("-cp");
      words.add(code.classPath());
    }
    if (!code.launcher().isEmpty()) {
      words.add("-Dloader.main=" + Main.class.getName());
    }
    return words;
  }

  /// Takes out of an environment the options that are repeated on the command line.
  static void clean(Map<String, String> environment) {
    environment.remove("JAVA_TOOL_OPTIONS");
    environment.remove("JDK_JAVA_OPTIONS");
    environment.remove("_JAVA_OPTIONS");
  }
}
