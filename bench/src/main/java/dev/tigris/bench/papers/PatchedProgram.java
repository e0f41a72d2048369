package dev.tigris.bench.papers;

import dev.tigris.bench.RunFolder;
import dev.tigris.memory.Pso;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// A program of many small classes, some of which keep their objects in containers: compiled, and
/// specialized in each way. Its main class uses every other one once, as a program that starts
/// does.
final class PatchedProgram {
  static final String MAIN = "program.Main";

  /// How the classes are delivered.
  enum Form {
    COMPILED,
    REWRITTEN,
    FLAT,
    DIFF
  }

  private static final int CALLS_A_METHOD = 100;

  private static final String PLAIN =
      """
      package program;
      import java.util.*;
      final class C# {
        private final Map<String, Integer> counts = new HashMap<>();
        private int[] numbers = new int[16];
        void count(String word) {
          Integer before = counts.get(word);
          counts.put(word, before == null ? 1 : before + 1);
        }
        int largest() {
          int largest = Integer.MIN_VALUE;
          for (int number : numbers) { largest = Math.max(largest, number); }
          return largest;
        }
        void sort() {
          for (int i = 1; i < numbers.length; i++) {
            int moved = numbers[i];
            int at = i;
            while (at > 0 && numbers[at - 1] > moved) { numbers[at] = numbers[--at]; }
            numbers[at] = moved;
          }
        }
        String name(int of) {
          StringBuilder name = new StringBuilder("c");
          for (int left = of; left > 0; left /= 10) { name.append((char) ('0' + left % 10)); }
          return name.toString();
        }
        static long work(long seed) {
          C# it = new C#();
          for (int i = 0; i < it.numbers.length; i++) { it.numbers[i] = (int) (seed >> i); }
          it.sort();
          it.count(it.name(#));
          it.count("c");
          return it.largest() + it.counts.size();
        }
      }
      """;

  private static final String OBJECTS =
      """
      package program;
      import dev.tigris.memory.*;
      final class C# extends Pso {
        long id; int quantity; double price; short flags; C# next;
        C#(Container container) { super(container); }
        void fill(long seed) { id = seed; quantity = (int) (seed >> 3); price = seed * 0.5; }
        void update() { quantity += 2; price = price * 1.01 + quantity; flags ^= 3; }
        long sum() { return id + quantity + (long) price + flags; }
        boolean same(C# other) { return id == other.id && quantity == other.quantity; }
        static long work(long seed) {
          Container container = Jbuf.allocate(256).asContainer();
          C# one = new C#(container);
          one.fill(seed);
          one.update();
          one.next = new C#(container);
          one.next.fill(seed + 1);
          return one.sum() + one.next.sum() + (one.same(one.next) ? 1 : 0);
        }
      }
      """;

  private final Map<String, byte[]> compiled;
  private final Map<Form, Map<String, byte[]>> forms = new LinkedHashMap<>();
  private final int touched;

  private PatchedProgram(Map<String, byte[]> compiled, int touched) {
    this.compiled = compiled;
    this.touched = touched;
  }

  /// Writes, compiles and specializes a program.
  ///
  /// @param folder where to do so; must not exist, and is deleted again
  /// @param classes how many it has, the main class apart
  /// @param objects how many of them have objects in containers
  static PatchedProgram make(Path folder, int classes, int objects)
      throws IOException, URISyntaxException {
    try {
      compile(folder, classes, objects);
      Path memory = Path.of(Pso.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (ClassPath path = new ClassPath(List.of(folder, memory))) {
        PatchedProgram program = new PatchedProgram(read(folder), objects);
        program.specialize(new Specializer(new ClassHierarchy(path), Rule.standard()));
        return program;
      }
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static void compile(Path folder, int classes, int objects) throws IOException {
    Files.createDirectories(folder);
    List<String> arguments = new ArrayList<>(List.of("-g", "-proc:none", "-d", folder.toString()));
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    for (int index = 0; index < classes; index++) {
      // Spread evenly, the first of each stretch.
      boolean hasObjects = (long) index * objects % classes < objects;
      String source = (hasObjects ? OBJECTS : PLAIN).replace("#", Integer.toString(index));
      arguments.add(write(folder, "C" + index, source));
    }
    arguments.add(write(folder, "Main", main(classes)));
    StringWriter errors = new StringWriter();
    PrintWriter out = new PrintWriter(errors);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    if (javac.run(out, out, arguments.toArray(String[]::new)) != 0) {
      throw new IOException("the program does not compile: " + errors);
    }
  }

  private static String write(Path folder, String name, String source) throws IOException {
    return Files.writeString(folder.resolve(name + ".java"), source).toString();
  }

  private static String main(int classes) {
    StringBuilder out = new StringBuilder("package program;\npublic final class Main {\n");
    StringBuilder main = new StringBuilder("  public static void main(String[] arguments) {\n");
    main.append("    long sum = 0;\n");
    for (int start = 0; start < classes; start += CALLS_A_METHOD) {
      out.append("  static long from").append(start).append("() {\n    long sum = 0;\n");
      for (int index = start; index < Math.min(classes, start + CALLS_A_METHOD); index++) {
        out.append("    sum = sum * 31 + C").append(index).append(".work(").append(index);
        out.append(");\n");
      }
      out.append("    return sum;\n  }\n");
      main.append("    sum += from").append(start).append("();\n");
    }
    return out.append(main).append("    System.out.println(sum);\n  }\n}\n").toString();
  }

  private static Map<String, byte[]> read(Path folder) throws IOException {
    Map<String, byte[]> classes = new LinkedHashMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file :
          files.filter(found -> found.toString().endsWith(".class")).sorted().toList()) {
        classes.put(folder.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return classes;
  }

  private void specialize(Specializer specializer) throws IOException {
    for (Form form : Form.values()) {
      forms.put(form, new LinkedHashMap<>());
    }
    for (Map.Entry<String, byte[]> entry : compiled.entrySet()) {
      byte[] original = entry.getValue();
      Specialized result = specializer.specialize(original);
      if (!result.problems().isEmpty()) {
        throw new IOException(result.problems().getFirst().toString());
      }
      byte[] rewritten = result.bytes();
      put(Form.COMPILED, entry.getKey(), original);
      put(Form.REWRITTEN, entry.getKey(), rewritten);
      for (PatchKind kind : PatchKind.values()) {
        put(
            kind == PatchKind.FLAT ? Form.FLAT : Form.DIFF,
            entry.getKey(),
            result.changed()
                ? CodePatch.attach(original, rewritten, kind, Optional.empty())
                : original);
      }
    }
  }

  private void put(Form form, String name, byte[] classFile) {
    Map<String, byte[]> classes = forms.get(form);
    if (classes != null) {
      classes.put(name, classFile);
    }
  }

  /// How many bytes a class file has on average, the main class apart.
  double averageBytes(Form form) {
    return forms.getOrDefault(form, Map.of()).entrySet().stream()
        .filter(entry -> !entry.getKey().endsWith("Main.class"))
        .mapToInt(entry -> entry.getValue().length)
        .average()
        .orElse(0);
  }

  /// How many of its classes a rule has changed.
  int touched() {
    return touched;
  }

  /// Packs one form of the program.
  void pack(Form form, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      for (Map.Entry<String, byte[]> entry : forms.getOrDefault(form, Map.of()).entrySet()) {
        out.putNextEntry(new JarEntry(entry.getKey()));
        out.write(entry.getValue());
        out.closeEntry();
      }
    }
  }
}
