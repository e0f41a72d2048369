package dev.tigris.bench.papers;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.papers.PatchedProgram.Form;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Measures code patches (Welsh, *Safe and Efficient Hardware Specialization of Java Applications*,
/// 2000, figures 6 and 7): the size of class files, and the time to apply patches while a program
/// of 1,000 classes starts.
///
/// Start-ups are whole processes, from outside; a round has one of each kind, in an order that
/// changes. The time that the agent takes for classes is from a clock inside of it, since it is far
/// below what two start-ups differ by.
final class PatchGroup implements Group {
  private static final String SIZES = "paper.jaguar.fig6.";
  private static final String TIMES = "paper.jaguar.fig7.";
  private static final String AGENT = TIMES + "agent";
  private static final List<Form> DELIVERIES = List.of(Form.REWRITTEN, Form.FLAT, Form.DIFF);
  private static final List<Form> PATCHES = List.of(Form.FLAT, Form.DIFF);

  /// What patches and the front-end compiler's class files added to a class file on average, then.
  private static final Map<Form, String> GROWTH_THEN =
      Map.of(Form.REWRITTEN, "494", Form.FLAT, "738", Form.DIFF, "698");

  /// The paper's milliseconds for a patch, in its benchmark of objects.
  private static final Map<Form, Double> PATCH_THEN = Map.of(Form.FLAT, 1.33, Form.DIFF, 2.66);

  private static final Pattern TIMED =
      Pattern.compile(
          "transformed (\\d+) classes in (\\d+) ns, (\\d+) of them patched in (\\d+) ns;"
              + " the first in (\\d+) ns");

  /// One start of the program.
  ///
  /// @param transformNanos what the agent took for all classes but the first patched one
  /// @param patchNanos what it took for a patched one, on average
  private record Start(
      String printed, double millis, double transformNanos, double patchNanos, double firstNanos) {}

  @Override
  public String name() {
    return "paper.patches";
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    DELIVERIES.forEach(form -> figures.add(SIZES + key(form)));
    figures.add(AGENT);
    for (Form form : PATCHES) {
      figures.add(TIMES + "startup." + key(form));
      figures.add(TIMES + "patch." + key(form));
      figures.add(TIMES + "transform." + key(form));
    }
    return figures;
  }

  private static String key(Form form) {
    return form.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void measure(Run run) throws Exception {
    Path work = Files.createTempDirectory(run.workFolder(), "patches");
    try {
      if (run.wants(SIZES) || run.prefix().startsWith(SIZES)) {
        sizes(run, work.resolve("small"));
      }
      if (run.wants(TIMES) || run.prefix().startsWith(TIMES)) {
        times(run, work);
      }
    } finally {
      for (Form form : DELIVERIES) {
        Files.deleteIfExists(jar(work, form));
      }
      Files.deleteIfExists(work.resolve("agent.jar"));
      Files.delete(work);
    }
  }

  /// A program of as many classes as the paper's, as many of which have rules applied.
  private static void sizes(Run run, Path folder) throws Exception {
    PatchedProgram program = PatchedProgram.make(folder, 27, 7);
    double before = program.averageBytes(Form.COMPILED);
    for (Form form : DELIVERIES) {
      double after = program.averageBytes(form);
      double growth = (after - before) * 27 / program.touched();
      run.emit(
          Figure.once(SIZES + key(form), after, "bytes", Better.LOWER, "compiled", before)
              .withNote(
                  ("average of 27 classes, of which the 7 that rules apply to grow by "
                          + "%.0f; then: all by %s")
                      .formatted(growth, GROWTH_THEN.get(form))));
    }
  }

  private static void times(Run run, Path work) throws Exception {
    int classes = run.scale().pick(20, 1_000, 1_000);
    // The paper's programs have rules applied to fewer than 2 % of their methods.
    int objects = Math.max(3, classes / 50 + 1);
    run.say("compiling a program of %,d classes".formatted(classes));
    PatchedProgram program = PatchedProgram.make(work.resolve("program"), classes, objects);
    for (Form form : DELIVERIES) {
      program.pack(form, jar(work, form));
    }
    Path agent = agent(work.resolve("agent.jar"));

    int rounds = run.scale().pick(1, 5, 15);
    List<Start> alone = new ArrayList<>();
    Map<Form, List<Start>> withAgent = new EnumMap<>(Form.class);
    DELIVERIES.forEach(form -> withAgent.put(form, new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      run.say("start-ups, round %d of %d".formatted(round + 1, rounds));
      for (int turn = 0; turn <= DELIVERIES.size(); turn++) {
        int kind = (round + turn) % (DELIVERIES.size() + 1);
        if (kind == DELIVERIES.size()) {
          alone.add(start(jar(work, Form.REWRITTEN), List.of()));
        } else {
          Form form = DELIVERIES.get(kind);
          withAgent
              .computeIfAbsent(form, _ -> new ArrayList<>())
              .add(start(jar(work, form), List.of("-javaagent:" + agent)));
        }
      }
    }
    report(run, program, alone, withAgent);
  }

  private static void report(
      Run run, PatchedProgram program, List<Start> alone, Map<Form, List<Start>> withAgent)
      throws WrongResultException {
    String expected = alone.getFirst().printed();
    for (Form form : DELIVERIES) {
      List<Start> starts = withAgent.getOrDefault(form, List.of());
      for (Start start : starts) {
        if (!start.printed().equals(expected)) {
          throw new WrongResultException(
              form + " prints " + start.printed() + " in place of " + expected);
        }
      }
      Pairs startUps = new Pairs(millis(starts), millis(alone));
      if (form == Form.REWRITTEN) {
        run.emit(
            Figure.of(AGENT, "ms", Better.LOWER, "no agent", List.of(startUps))
                .withNote("start-up with an agent that finds no patch"));
        continue;
      }
      run.emit(
          Figure.of(
              TIMES + "startup." + key(form), "ms", Better.LOWER, "rewritten", List.of(startUps)));
      double first = starts.stream().mapToDouble(Start::firstNanos).average().orElse(0) / 1e6;
      run.emit(
          Figure.once(
                  TIMES + "patch." + key(form),
                  starts.stream().mapToDouble(Start::patchNanos).average().orElse(0) / 1e6,
                  "ms",
                  Better.LOWER,
                  "paper",
                  PATCH_THEN.getOrDefault(form, 0.0))
              .withNote("a class, the first apart; then: a method"));
      double[] shares = new double[starts.size()];
      double[] limits = new double[starts.size()];
      double transformMillis = 0;
      for (int round = 0; round < shares.length; round++) {
        double transform = starts.get(round).transformNanos() / 1e6;
        shares[round] = 100 * transform / alone.get(round).millis();
        limits[round] = 1;
        transformMillis += transform / shares.length;
      }
      run.emit(
          Figure.of(
                  TIMES + "transform." + key(form),
                  "% of start-up",
                  Better.LOWER,
                  "limit",
                  List.of(new Pairs(shares, limits)))
              .withNote(
                  ("%.1f ms for all classes, %d of them patched; the first patch, which loads the"
                          + " agent's classes, %.1f ms apart")
                      .formatted(transformMillis, program.touched(), first)));
    }
  }

  private static double[] millis(List<Start> starts) {
    return starts.stream().mapToDouble(Start::millis).toArray();
  }

  private static Path jar(Path work, Form form) {
    return work.resolve(key(form) + ".jar");
  }

  /// A jar with a manifest only, as the agent's classes are on the class path anyway.
  private static Path agent(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", TimedAgent.class.getName());
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  private static Start start(Path jar, List<String> flags) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(flags);
    command.add("-cp");
    command.add(jar + ":" + System.getProperty("java.class.path"));
    command.add(PatchedProgram.MAIN);
    long start = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    double millis = (System.nanoTime() - start) / 1e6;
    if (exit != 0) {
      throw new IOException("the program ended with " + exit + ": " + output);
    }
    Matcher timed = TIMED.matcher(output);
    if (!timed.find()) {
      return new Start(output.strip(), millis, 0, 0, 0);
    }
    double patched = Math.max(1, Double.parseDouble(timed.group(3)));
    return new Start(
        output.substring(0, timed.start()).strip(),
        millis,
        Double.parseDouble(timed.group(2)),
        Double.parseDouble(timed.group(4)) / patched,
        Double.parseDouble(timed.group(5)));
  }
}
