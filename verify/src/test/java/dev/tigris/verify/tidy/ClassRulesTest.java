package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each rule finds what it is there for, and lets ordinary code pass.
class ClassRulesTest {
  @TempDir Path sources;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no internal API               | Object o = sun.misc.Unsafe.class;
          no native code of ours        | static native void call();
          no native code of ours        | void call() { System.loadLibrary("c"); }
          only a Main or an Agent       | void stop() { System.exit(1); }
          tests do not sleep            | void rest() throws Exception { Thread.sleep(1); }
          encapsulation stays intact    | void open(java.lang.reflect.Field f) { f.setAccessible(true); }
          no finalizers                 | protected void finalize() {}
          no Java deserialization       | Object read(java.io.ObjectInputStream in) throws Exception { return in.readObject(); }
          restricted calls in named     | Object far() { return java.lang.foreign.MemorySegment.ofAddress(1).reinterpret(2); }
          restricted calls under a      | Object far() { return java.lang.foreign.MemorySegment.ofAddress(1).reinterpret(2); }
          names that say something      | static class StringUtils {}
          names that say something      | static class AbstractThingBase {}
          """)
  void findsWhatItForbids(String rule, String member) throws Exception {
    assertTrue(
        breaches("class Guilty { " + member + " }", true).stream()
            .anyMatch(line -> line.contains(rule)),
        () -> "the rule '%s' lets pass: %s".formatted(rule, member));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          static int count;
          static final java.util.concurrent.atomic.AtomicLong COUNT = new java.util.concurrent.atomic.AtomicLong();
          static final ThreadLocal<String> NAME = new ThreadLocal<>();
          """)
  void findsStaticStateInProductCodeOnly(String member) throws Exception {
    String source = "class Guilty { " + member + " }";
    assertEquals(1, breaches(source, false).size());
    assertEquals(List.of(), breaches(source, true));
  }

  @Test
  void findsAMethodThatIsTooLongButNotOneOfExactlyTheLimit() throws Exception {
    assertEquals(List.of(), breaches(methodOf(ClassRules.METHOD_LINES), false));
    assertEquals(1, breaches(methodOf(ClassRules.METHOD_LINES + 1), false).size());
  }

  @Test
  void doesNotTakeScatteredFieldInitialisersForALongConstructor() throws Exception {
    assertEquals(
        List.of(),
        breaches("class Innocent { int a = 1;" + "\n".repeat(200) + "int b = 2; }", false));
  }

  @Test
  void letsOrdinaryCodePass() throws Exception {
    String source =
        """
        class Innocent {
          static final int LIMIT = 3;
          enum Color { RED, GREEN }
          record Pair(int first, int second) {}
          int sum(int[] values) { int sum = 0; for (int value : values) { sum += value; } return sum; }
        }
        """;
    assertEquals(List.of(), breaches(source, false));
  }

  private static String methodOf(int lines) {
    return "class Long { int run(int x) {\n" + "x++;\n".repeat(lines - 1) + "return x; } }";
  }

  private List<String> breaches(String source, boolean test) throws IOException {
    Path file = sources.resolve(source.replaceFirst("class (\\w+)(?s:.*)", "$1.java"));
    Files.writeString(file, source);
    Path classes = Files.createDirectories(sources.resolve("classes"));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-nowarn",
                "-Xlint:none",
                "-d",
                classes.toString(),
                file.toString());
    assertEquals(0, result, () -> "does not compile: " + source);
    try (var files = Files.list(classes)) {
      return files
          .map(path -> new CompiledClass("memory", test, parse(path), sources))
          .flatMap(found -> ClassRules.all().stream().flatMap(rule -> rule.breaches(found)))
          .collect(Collectors.toList());
    }
  }

  private static ClassModel parse(Path path) {
    try {
      return ClassFile.of().parse(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
