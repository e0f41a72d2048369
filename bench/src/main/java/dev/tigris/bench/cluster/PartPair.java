package dev.tigris.bench.cluster;

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

/// Two processes with the command lines of [PartMain].
final class PartPair implements Closeable {
  private final Path errors;
  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();
  private final List<Writer> questions = new ArrayList<>();
  private int runs;

  /// Starts both.
  ///
  /// @param folder for what they say of errors
  PartPair(String provider, Path folder) throws IOException {
    errors = Files.createTempFile(folder, "parts-", ".err");
    for (int self = 0; self < 2; self++) {
      Process started =
          new ProcessBuilder(command(self, provider))
              .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
              .start();
      processes.add(started);
      answers.add(started.inputReader());
      questions.add(started.outputWriter());
    }
  }

  private static List<String> command(int self, String provider) {
    String options = System.getProperty("tigris.bench.workerOptions", "");
    return Stream.of(
            Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
            Stream.of("--enable-native-access=ALL-UNNAMED"),
            Stream.of(options.strip().split(" +", -1)).filter(word -> !word.isEmpty()),
            Stream.of("-cp", System.getProperty("java.class.path"), PartMain.class.getName()),
            Stream.of(String.valueOf(self), provider))
        .flatMap(words -> words)
        .toList();
  }

  /// Runs an experiment, and returns the numbers that one of the processes has found.
  double[] run(String command) throws IOException {
    runs++;
    say(runs + " " + command);
    String both = line(0) + "\n" + line(1);
    say(both);
    String numbers = (line(0) + " " + line(1)).strip();
    if (numbers.isEmpty()) {
      throw failed(command + " has found nothing");
    }
    return Stream.of(numbers.split(" +", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  private void say(String lines) throws IOException {
    for (Writer each : questions) {
      each.write(lines + "\n");
      each.flush();
    }
  }

  private String line(int process) throws IOException {
    String line = answers.get(process).readLine();
    if (line == null) {
      throw failed("process " + process + " has ended");
    }
    return line;
  }

  private IOException failed(String what) throws IOException {
    return new IOException(what + " | " + Files.readString(errors).strip());
  }

  @Override
  public void close() throws IOException {
    try {
      for (Writer each : questions) {
        each.close(); // which ends the process
      }
      for (Process each : processes) {
        boolean _ = each.waitFor(1, TimeUnit.SECONDS);
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
