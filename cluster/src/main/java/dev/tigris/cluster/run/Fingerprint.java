package dev.tigris.cluster.run;

import dev.tigris.flow.FlowGraph;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import org.jspecify.annotations.Nullable;

/// What has to be equal in all processes of a run: the feature release of Java, the program's jars
/// and folders, its arguments, and the flow that it describes. Each part has a name, so that a
/// difference can be told.
///
/// Processes of one host read the same files. So a file that has the place on the disk, the size
/// and the time that the coordinator has seen was not replaced meanwhile. Its content need not be
/// read, which keeps the start of a process short.
///
/// @param parts the value of each part, by its name
record Fingerprint(Map<String, String> parts) {
  Fingerprint {
    parts = new LinkedHashMap<>(parts);
  }

  /// Returns the fingerprint of the code that a process runs: of each jar, and of each file in the
  /// folders, on its class path and module path.
  ///
  /// @throws IOException if one of them cannot be read
  static Fingerprint ofCode(CodePath code) throws IOException {
    Map<String, String> parts = new TreeMap<>();
    parts.put("the release of Java", String.valueOf(Runtime.version().feature()));
    for (String path : List.of(code.classPath(), code.modulePath())) {
      for (String entry : path.split(File.pathSeparator, -1)) {
        if (!entry.isEmpty()) {
          Path named = Path.of(entry);
          add(parts, named);
          for (Path library : libraries(named)) {
            add(parts, library);
          }
        }
      }
    }
    return new Fingerprint(parts);
  }

  /// Returns the jars and folders that a jar's manifest puts behind it on the class path.
  private static List<Path> libraries(Path jar) {
    Attributes attributes = CodePath.attributes(jar);
    String names = attributes == null ? null : attributes.getValue(Attributes.Name.CLASS_PATH);
    return names == null
        ? List.of()
        : Arrays.stream(names.strip().split(" +", -1))
            .filter(name -> !name.isEmpty() && !name.contains(":"))
            .map(jar::resolveSibling)
            .toList();
  }

  private static void add(Map<String, String> parts, Path named) throws IOException {
    if (!Files.exists(named)) {
      return; // as Java ignores it
    }
    Path entry = named.toRealPath(); // a link may be made to lead elsewhere
    Files.walkFileTree(
        entry,
        Set.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            Path within = file.equals(entry) ? named.getFileName() : entry.relativize(file);
            parts.merge(
                "the file " + within,
                "%d bytes of %s%s"
                    .formatted(
                        attributes.size(),
                        attributes.lastModifiedTime(),
                        attributes.fileKey() == null ? "" : " at " + attributes.fileKey()),
                (one, other) -> one + ", " + other);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /// Returns the fingerprint of a program's code for processes on several hosts: of the content of
  /// each of these jars, and of each file in these folders, and of the code of Tigris itself.
  ///
  /// @throws IOException if one of them cannot be read
  static Fingerprint ofContent(List<Path> code) throws IOException {
    Map<String, String> parts = new TreeMap<>();
    parts.put("the release of Java", String.valueOf(Runtime.version().feature()));
    for (Path entry : code) {
      parts.putAll(ContentHash.ofFiles(entry));
    }
    parts.put("the code of Tigris", ContentHash.ofTigris());
    return new Fingerprint(parts);
  }

  /// Returns the fingerprint of a program's code that an engine of hosts has shipped: of the jar or
  /// folder that the class is from, and of the code of Tigris.
  ///
  /// @throws IOException if one of them cannot be read
  static Fingerprint ofShipped(Class<?> program) throws IOException {
    Map<String, String> parts = new TreeMap<>();
    parts.put("the release of Java", String.valueOf(Runtime.version().feature()));
    parts.put("the code of Tigris", ContentHash.ofTigris());
    parts.put("the code of " + program.getName(), ContentHash.of(program));
    return new Fingerprint(parts);
  }

  /// Returns this one, and the parts of a flow.
  Fingerprint with(Arguments arguments, Described described) {
    FlowGraph graph = described.graph();
    Map<String, String> all = new LinkedHashMap<>(parts);
    all.put("the arguments", arguments.toString());
    all.put("the name of the flow", graph.flow());
    graph.stages().forEach(stage -> all.put("stage " + stage.name(), stage.toString()));
    described
        .places()
        .forEach((stage, its) -> all.put("the processes of stage " + stage, its.toString()));
    graph
        .edges()
        .forEach(e -> all.put("reservoir " + e.from() + "->" + e.reservoir(), e.toString()));
    graph.feeds().forEach(f -> all.put("feed " + f.stage() + "." + f.name(), f.toString()));
    graph.drains().forEach(d -> all.put("drain " + d.stage() + "." + d.name(), d.toString()));
    all.put("the checksums of the flow", String.valueOf(graph.checksums()));
    all.put("the seed of the flow", String.valueOf(graph.seed()));
    all.put("the graph of the flow", graph.fingerprint());
    return new Fingerprint(all);
  }

  /// Returns the first difference of another process, in words; null if there is none.
  @Nullable String difference(Fingerprint other) {
    Set<String> names = new LinkedHashSet<>(parts.keySet());
    names.addAll(other.parts.keySet());
    for (String name : names) {
      String one = parts.get(name);
      String its = other.parts.get(name);
      if (!Objects.equals(one, its)) {
        return "%s is %s in one process, and %s in the other".formatted(name, one, its);
      }
    }
    return null;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(parts.size());
    for (var part : parts.entrySet()) {
      Wire.writeText(out, part.getKey());
      Wire.writeText(out, part.getValue());
    }
  }

  static Fingerprint read(DataInputStream in) throws IOException {
    Map<String, String> parts = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = Wire.readText(in);
      parts.put(name, Wire.readText(in));
    }
    return new Fingerprint(parts);
  }
}
