package dev.tigris.specializer;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/// Compiles sources to a folder, together with stand-ins for the classes of `memory` that the
/// specializer knows by name.
final class Javac {
  private static final List<String> MEMORY =
      List.of(
          "package dev.tigris.memory; public class Container {}",
          "package dev.tigris.memory; public class PsoBinding {}",
          """
          package dev.tigris.memory;
          public class Utf8 {
            public int lengthBytes() { return length(); }
            public boolean contentEquals(CharSequence text) { return lengthBytes() == text.length(); }
            public String toString() { return ""; }
            private int length() { return 0; }
          }
          """,
          "package dev.tigris.memory; public class Ints {}",
          "package dev.tigris.memory; public class PsoArray {}",
          "package dev.tigris.memory; public class PsoCursor<T extends Pso> {"
              + " public boolean next() { return false; } public T element() { return null; } }",
          """
          package dev.tigris.memory;
          import java.lang.annotation.*;
          @Retention(RetentionPolicy.RUNTIME)
          public @interface Capacity { int value(); }
          """,
          """
          package dev.tigris.memory;
          import java.lang.annotation.*;
          @Retention(RetentionPolicy.RUNTIME)
          public @interface InPlace {}
          """,
          """
          package dev.tigris.memory;
          public abstract class Pso {
            long bits;
            protected Pso(Container container) { bits = 1; }
            protected Pso(PsoBinding binding) { bits = 2; }
          }
          """,
          """
          package dev.tigris.memory;
          @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
          public @interface HeapOnly {}
          """,
          """
          package dev.tigris.memory;
          public class PsoLinkage {
            public static void declare(java.lang.invoke.MethodHandles.Lookup lookup) {}
          }
          """);

  private static final Pattern TYPE_NAME = Pattern.compile("(?:class|interface) (\\w+)");

  private final Path folder;

  Javac(Path folder) {
    this.folder = folder;
    compile(MEMORY.toArray(String[]::new));
  }

  Path folder() {
    return folder;
  }

  /// Compiles sources, each with one top-level class.
  Javac compile(String... sources) {
    try {
      Path sourceFolder = Files.createDirectories(folder.resolveSibling("sources"));
      List<String> arguments = new ArrayList<>(List.of("-d", folder.toString(), "-g"));
      arguments.addAll(List.of("-cp", folder.toString(), "-implicit:none", "-proc:none"));
      for (String source : sources) {
        Path file = sourceFolder.resolve(nameOf(source) + ".java");
        Files.writeString(file, source);
        arguments.add(file.toString());
      }
      StringWriter errors = new StringWriter();
      PrintWriter out = new PrintWriter(errors);
      ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
      if (javac.run(out, out, arguments.toArray(String[]::new)) != 0) {
        throw new AssertionError(errors.toString());
      }
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String nameOf(String source) {
    Matcher name = TYPE_NAME.matcher(source);
    if (name.find()) {
      return name.group(1);
    }
    throw new AssertionError("no class in " + source);
  }
}
