package dev.tigris.bench.group;

import dev.tigris.bench.c.CProgram;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Open MPI's collective operations, in a program in C that is compiled for it (`collectives.c`).
final class MpiRanks implements Closeable {
  private static final int PATIENCE_SECONDS = 5;
  private static final List<String> TOOLS = List.of("mpicc", "mpirun", "gcc");

  private final CProgram program;
  private final Path errors;
  private final Process ranks;
  private final BufferedReader answers;
  private final Writer questions;

  /// Starts the ranks.
  ///
  /// @param provider over which they are to speak: `shm` or `tcp`
  /// @param folder for the program, and for what it says of errors
  MpiRanks(int size, String provider, Path folder) throws IOException {
    List<String> flags = new ArrayList<>(flags(folder, "--showme:compile"));
    flags.addAll(flags(folder, "--showme:link"));
    program = CProgram.compile(folder, List.of("collectives.c"), flags);
    errors = Files.createTempFile(folder, "mpi", ".err");
    ranks =
        new ProcessBuilder(command(size, provider))
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
            .start();
    answers = ranks.inputReader();
    questions = ranks.outputWriter();
  }

  /// Returns why there is no Open MPI here.
  static Optional<String> obstacle() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    List<String> missing =
        TOOLS.stream()
            .filter(
                tool ->
                    Stream.of(path.split(":", -1))
                        .noneMatch(folder -> Files.isExecutable(Path.of(folder, tool))))
            .toList();
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "there is no %s: install openmpi-bin, libopenmpi-dev and gcc"
                .formatted(String.join(", ", missing)));
  }

  private static List<String> flags(Path folder, String option) throws IOException {
    Path output = Files.createTempFile(folder, "mpicc", ".out");
    try {
      Process mpicc =
          new ProcessBuilder("mpicc", option)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (mpicc.waitFor() != 0) {
        throw new IOException(
            "mpicc is not that of Open MPI: it refuses "
                + option
                + ": "
                + Files.readString(output));
      }
      return List.of(Files.readString(output).strip().split("\\s+", -1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while mpicc was asked for its flags", e);
    } finally {
      Files.delete(output);
    }
  }

  private List<String> command(int size, String provider) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "mpirun",
                "--allow-run-as-root",
                "--oversubscribe",
                "--bind-to",
                "none",
                "--mca",
                "pml",
                "ob1",
                "--mca",
                "btl"));
    words.add(provider.equals("shm") ? "self,vader" : "self,tcp");
    if (!provider.equals("shm")) {
      words.addAll(List.of("--mca", "btl_tcp_if_include", "lo"));
    }
    words.addAll(List.of("-n", String.valueOf(size), program.file().toString()));
    return words;
  }

  /// Runs an operation so often, and returns the nanoseconds that rank 0 took.
  long nanos(Collective operation, int bytes, int count) throws IOException {
    questions.write("%s %d %d%n".formatted(operation.word(), bytes, count));
    questions.flush();
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("Open MPI has ended: " + Files.readString(errors).strip());
    }
    return Long.parseLong(line.strip());
  }

  @Override
  public void close() throws IOException {
    try {
      questions.close();
      boolean _ = ranks.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      // it has ended already
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ranks.destroy(); // it ends the ranks
      Files.deleteIfExists(errors);
      program.close();
    }
  }
}
