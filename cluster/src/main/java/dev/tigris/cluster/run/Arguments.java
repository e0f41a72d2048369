package dev.tigris.cluster.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// The arguments of a [FlowProgram]: the user's words, and facts that could differ between the
/// processes of a run. The coordinator looks each fact up when its own
/// [describe][FlowProgram#describe] first asks for it, and the workers are told. So all processes
/// describe one flow.
///
/// Thread rule: the thread that describes the flow.
public final class Arguments {
  /// The most bytes of the facts of a run, which every worker is told.
  private static final int MOST_BYTES = 32 << 20;

  private final List<String> words;
  private final int processes;
  private final int processors;
  private final long seed;
  private final Instant time;
  private final Map<String, List<String>> facts;

  /// Says where files lie, in the coordinator, which looks facts up; null in other processes.
  private final FilePlaces.@Nullable Where where;

  private Arguments(
      List<String> words,
      int processes,
      int processors,
      long seed,
      Instant time,
      Map<String, List<String>> facts,
      FilePlaces.@Nullable Where where) {
    this.words = List.copyOf(words);
    this.processes = processes;
    this.processors = processors;
    this.seed = seed;
    this.time = time;
    this.facts = new TreeMap<>(facts);
    this.where = where;
  }

  /// Returns the arguments with which a coordinator describes a flow.
  ///
  /// @param where says on which hosts files lie
  static Arguments looking(
      List<String> words,
      int processes,
      int processors,
      long seed,
      Instant time,
      FilePlaces.Where where) {
    return new Arguments(words, processes, processors, seed, time, Map.of(), where);
  }

  /// Returns arguments that know of no more facts than these have looked up.
  Arguments settled() {
    return new Arguments(words, processes, processors, seed, time, facts, null);
  }

  /// Returns these without the first words.
  Arguments from(int first) {
    return new Arguments(
        words.subList(first, words.size()), processes, processors, seed, time, facts, null);
  }

  /// Returns the user's words, in their order.
  public List<String> words() {
    return words;
  }

  /// Returns one of the user's words.
  ///
  /// @param index from 0
  /// @throws IllegalArgumentException if there are not so many
  public String word(int index) {
    if (index < 0 || index >= words.size()) {
      throw new IllegalArgumentException(
          "the program asks for argument %d, and was given %d: %s"
              .formatted(index + 1, words.size(), words));
    }
    return words.get(index);
  }

  /// Returns one of the user's words, or `otherwise` if there are not so many.
  public String word(int index, String otherwise) {
    return index < words.size() ? word(index) : otherwise;
  }

  /// Returns how many processes run the flow: 1 on threads.
  public int processes() {
    return processes;
  }

  /// Returns how many processors the whole run has, and at least one for each process: a good
  /// number of replicas for a stage that computes.
  public int processors() {
    return processors;
  }

  /// Returns the seed of the run, from which random choices follow. It is another one in each run,
  /// unless [Cluster#withSeed] has set it. All attempts of a run have one seed.
  public long seed() {
    return seed;
  }

  /// Returns when the run was started.
  public Instant time() {
    return time;
  }

  /// Returns an environment variable of the coordinator.
  public Optional<String> environment(String name) {
    return facts("environment " + name, () -> given(System.getenv(name))).stream().findFirst();
  }

  /// Returns a system property of the coordinator.
  public Optional<String> property(String name) {
    return facts("property " + name, () -> given(System.getProperty(name))).stream().findFirst();
  }

  private static List<String> given(@Nullable String value) {
    return value == null ? List.of() : List.of(value);
  }

  /// Returns the files in a folder whose names match a glob, such as `*.csv`, in the order of their
  /// names. These are the files that the coordinator sees when the run starts. Folders among them
  /// are left out.
  ///
  /// @throws IOException if the coordinator cannot read the folder
  public List<Path> files(Path folder, String glob) throws IOException {
    try {
      return facts("files " + glob + " in " + folder, () -> listed(folder, glob)).stream()
          .map(Path::of)
          .toList();
    } catch (FactException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      throw e;
    }
  }

  private static List<String> listed(Path folder, String glob) throws IOException {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      for (Path entry : entries) {
        if (!Files.isDirectory(entry)) {
          found.add(entry.toString());
        }
      }
    }
    found.sort(null);
    return found;
  }

  /// Returns the processes on whose host a file lies: all or none of them, if there is one host. A
  /// relative path is one of the folder in which each host's worker was started.
  ///
  /// ```java
  /// int[] near = arguments.processesWith(log).stream().mapToInt(Integer::intValue).toArray();
  /// return Placement.spread(graph, arguments.processes()).with("scan", near);
  /// ```
  ///
  /// @throws IOException if a host does not answer
  public List<Integer> processesWith(Path file) throws IOException {
    return processesWith(Set.of(file)).getOrDefault(file, List.of());
  }

  /// Returns the processes on whose host each file lies.
  Map<Path, List<Integer>> processesWith(Set<Path> files) throws IOException {
    List<Path> unknown = files.stream().filter(file -> !facts.containsKey(factOf(file))).toList();
    FilePlaces.Where looks = where;
    if (looks != null && !unknown.isEmpty()) {
      List<List<Integer>> found = looks.processesWith(unknown);
      for (int i = 0; i < unknown.size(); i++) {
        facts.put(factOf(unknown.get(i)), found.get(i).stream().map(String::valueOf).toList());
      }
    }
    Map<Path, List<Integer>> all = new HashMap<>();
    for (Path file : files) {
      List<String> texts = facts(factOf(file), List::of);
      all.put(file, texts.stream().map(Integer::valueOf).toList());
    }
    return all;
  }

  private static String factOf(Path file) {
    return "processes with " + file;
  }

  /// Returns on how many hosts the processes are.
  int hosts() {
    FilePlaces.Where looks = where;
    List<String> known =
        facts("number of hosts", () -> List.of(String.valueOf(looks == null ? 1 : looks.hosts())));
    return Integer.parseInt(known.getFirst());
  }

  /// Returns a fact that only the coordinator looks up: how many rows a table has, for example.
  ///
  /// @param name tells the facts of a program apart
  /// @param look is called in the coordinator, when its `describe` first asks for the fact
  /// @throws FactException with what `look` has thrown
  public String fact(String name, Callable<String> look) {
    return facts("fact " + name, () -> List.of(look.call())).getFirst();
  }

  private List<String> facts(String name, Callable<List<String>> look) {
    List<String> known = facts.get(name);
    if (known != null) {
      return known;
    }
    if (where == null) {
      throw new IllegalStateException(
          "this process asks for the %s, which the coordinator has not asked for: a flow has to be described in one way in all processes"
              .formatted(name));
    }
    try {
      List<String> found = List.copyOf(look.call());
      facts.put(name, found);
      return found;
    } catch (Exception e) {
      throw new FactException("the %s cannot be looked up: %s".formatted(name, e), e);
    }
  }

  /// Reports that a fact could not be looked up.
  public static final class FactException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FactException(String message, Exception cause) {
      super(message, cause);
    }
  }

  // -- For other processes.

  void write(DataOutputStream out) throws IOException {
    int before = out.size();
    Wire.writeTexts(out, words);
    out.writeInt(processes);
    out.writeInt(processors);
    out.writeLong(seed);
    out.writeLong(time.getEpochSecond());
    out.writeInt(time.getNano());
    out.writeInt(facts.size());
    for (var fact : facts.entrySet()) {
      Wire.writeText(out, fact.getKey());
      Wire.writeTexts(out, fact.getValue());
    }
    if (out.size() - before > MOST_BYTES) {
      throw new IllegalArgumentException(
          "the arguments and facts of the run have %d bytes, of at most %d: name a file in their place"
              .formatted(out.size() - before, MOST_BYTES));
    }
  }

  static Arguments read(DataInputStream in) throws IOException {
    List<String> words = Wire.readTexts(in);
    int processes = in.readInt();
    int processors = in.readInt();
    long seed = in.readLong();
    Instant time = Instant.ofEpochSecond(in.readLong(), in.readInt());
    Map<String, List<String>> facts = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = Wire.readText(in);
      facts.put(name, Wire.readTexts(in));
    }
    return new Arguments(words, processes, processors, seed, time, facts, null);
  }

  @Override
  public String toString() {
    return "Arguments[%s, %d processes, %d processors, seed %d, %s, %s]"
        .formatted(words, processes, processors, seed, time, facts);
  }
}
