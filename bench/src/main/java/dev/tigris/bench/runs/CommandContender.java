package dev.tigris.bench.runs;

import dev.tigris.bench.Scale;
import dev.tigris.bench.sort.Tigris;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/// `tigris run` with a jar of [FirstWater], as users have one.
///
/// @param tigris the command
/// @param jar the program
/// @param processes how many
record CommandContender(Tigris tigris, Path jar, int processes) implements Contender {
  private static final List<String> CLASSES =
      List.of("FirstWater", "FirstWater$Maker", "FirstWater$Notes");

  /// A run that hangs for so long has failed.
  private static final int HANG_SECONDS = 300;

  static CommandContender of(Scale scale, int processes, Path work) throws IOException {
    Path jar = work.resolve("first-water.jar");
    try (OutputStream to = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(to)) {
      for (String name : CLASSES) {
        String file = name + ".class";
        try (InputStream in = FirstWater.class.getResourceAsStream(file)) {
          String folder = FirstWater.class.getPackageName().replace('.', '/');
          packed.putNextEntry(new JarEntry(folder + "/" + file));
          long _ = Objects.requireNonNull(in, file).transferTo(packed);
        }
      }
    }
    return new CommandContender(Tigris.of(scale), jar, processes);
  }

  @Override
  public String name() {
    return "Tigris";
  }

  @Override
  public long start(Path work, Path notes) throws IOException, InterruptedException {
    Path runs = Files.createTempDirectory(work, "runs-");
    String on = "processes:" + processes;
    String program = FirstWater.class.getName();
    return Commands.timed(
        tigris
            .command(
                "run",
                jar,
                notes,
                "--program",
                program,
                "--on",
                on,
                "--runs",
                runs,
                "--hang-limit",
                HANG_SECONDS)
            .words(),
        work);
  }
}
