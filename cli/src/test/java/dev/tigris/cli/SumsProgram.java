package dev.tigris.cli;

import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A program in a jar, compiled as a user's is: two sources count to its argument each, or without
/// an end if that is negative.
final class SumsProgram {
  private static final String PROGRAM =
      """
      package sums;

      import dev.tigris.cluster.run.*;
      import dev.tigris.flow.*;
      import dev.tigris.flow.Flow;

      public class Sums implements FlowProgram {
        public Flow describe(Arguments arguments) {
          long count = Long.parseLong(arguments.word(0));
          boolean differs = arguments.words().contains("--differs");
          String name = differs ? "sums" + java.util.Locale.getDefault() : "sums";
          return Flow.named(name).source("count", () -> new Numbers(count), 2).build();
        }

        public static class Numbers implements Source {
          final long count;
          long next;
          ModuleContext context;

          Numbers(long count) {
            this.count = count;
          }

          public Numbers(String json) {
            this(Long.parseLong(json));
          }

          public void init(ModuleContext given) {
            context = given;
          }

          public boolean produce(dev.tigris.flow.Stream out) {
            next++;
            return count < 0 ? !context.isStopping() : next < count;
          }

          public void finish(dev.tigris.flow.Stream out) {
            context.results().add("numbers", next);
          }
        }

        public static final class Ranks implements dev.tigris.cluster.group.GroupProgram {
          public void run(
              dev.tigris.cluster.group.Group group, dev.tigris.cluster.run.Arguments arguments)
              throws Exception {
            group.barrier();
            group.results().add("ranks", group.rank() + arguments.words().size());
          }
        }
      }
      """;

  private SumsProgram() {}

  /// Makes the class files and `sums.jar` in a folder.
  static void compile(Path folder) throws IOException {
    Path source = folder.resolve("Sums.java");
    Files.writeString(source, PROGRAM);
    compile(source, folder);
    jar(folder.resolve("sums"), folder.resolve("sums.jar"));
  }

  /// Compiles a program with all of Tigris on its class path.
  static void compile(Path source, Path classes) {
    String path =
        Jvm.classPath().stream()
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    String _ =
        Command.of(Jvm.tool("javac"), "-proc:none", "-cp", path, "-d", classes.toString())
            .with(source.toString())
            .output();
  }

  private static void jar(Path classes, Path file) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    manifest.getMainAttributes().putValue(ProgramFile.ATTRIBUTE, "sums.Sums");
    List<Path> compiled;
    try (Stream<Path> all = Files.list(classes)) {
      compiled = all.toList();
    }
    try (OutputStream to = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(to, manifest)) {
      for (Path each : compiled) {
        jar.putNextEntry(new JarEntry("sums/" + each.getFileName()));
        Files.copy(each, jar);
        jar.closeEntry();
      }
    }
  }
}
