package dev.tigris.bench;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Processes of one Java program, each of which reads commands by lines and prints its answers so.
/// A process ends when its input does.
public final class LineProcesses implements Closeable {
  private static final int PATIENCE_SECONDS = 2;

  private final Path errors;
  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();
  private final List<Writer> questions = new ArrayList<>();

  /// Starts all.
  ///
  /// @param folder for what they say of errors
  /// @param options of Java, besides those that all workers of the bench have
  /// @param arguments of each
  public LineProcesses(
      Path folder, List<String> options, Class<?> program, List<List<String>> arguments)
      throws IOException {
    errors = Files.createTempFile(folder, program.getSimpleName(), ".err");
    for (List<String> its : arguments) {
      Process started =
          new ProcessBuilder(command(options, program, its))
              .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
              .start();
      processes.add(started);
      answers.add(started.inputReader());
      questions.add(started.outputWriter());
    }
  }

  private static List<String> command(
      List<String> options, Class<?> program, List<String> arguments) {
    String all = System.getProperty("tigris.bench.workerOptions", "");
    return Stream.of(
            Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
            Stream.of("--enable-native-access=ALL-UNNAMED"),
            options.stream(),
            Stream.of(all.strip().split(" +", -1)).filter(word -> !word.isEmpty()),
            Stream.of("-cp", System.getProperty("java.class.path"), program.getName()),
            arguments.stream())
        .flatMap(words -> words)
        .toList();
  }

  /// Writes lines to all.
  public void say(String lines) throws IOException {
    for (Writer each : questions) {
      each.write(lines + "\n");
      each.flush();
    }
  }

  /// Returns the next line of each.
  ///
  /// @throws IOException if one has ended; the message has what it said of errors
  public List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      String line = answers.get(i).readLine();
      if (line == null) {
        throw failed("process " + i + " has ended");
      }
      lines.add(line);
    }
    return lines;
  }

  /// Returns a failure, with what the processes said of errors.
  public IOException failed(String what) throws IOException {
    return new IOException(what + " | " + Files.readString(errors).strip());
  }

  /// Ends all by their input, or at the latest after two seconds each.
  @Override
  public void close() throws IOException {
    try {
      for (Writer each : questions) {
        each.close();
      }
      for (Process each : processes) {
        boolean _ = each.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (IOException e) {
      // it has ended already
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      processes.forEach(Process::destroyForcibly);
      Files.deleteIfExists(errors);
    }
  }
}
