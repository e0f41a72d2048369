package dev.tigris.bench.group;

import dev.tigris.matrix.GroupProduct;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The processes of a group of ours ([MemberMain]).
final class Members implements Closeable {
  private final Path errors;
  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();
  private final List<Writer> questions = new ArrayList<>();

  /// Starts all, and makes them meet.
  ///
  /// @param folder for what they say of errors
  Members(int size, String provider, Path folder) throws IOException {
    errors = Files.createTempFile(folder, "members-", ".err");
    for (int self = 0; self < size; self++) {
      Process started =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "--add-modules=jdk.incubator.vector",
                  "-cp",
                  System.getProperty("java.class.path"),
                  MemberMain.class.getName(),
                  String.valueOf(self),
                  String.valueOf(size),
                  provider)
              .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
              .start();
      processes.add(started);
      answers.add(started.inputReader());
      questions.add(started.outputWriter());
    }
    StringBuilder addresses = new StringBuilder();
    for (int i = 0; i < size; i++) {
      addresses.append(line(i)).append('\n');
    }
    say(addresses.toString());
  }

  /// Multiplies, and returns what member 0 took.
  GroupProduct.Times multiply(int size, int count) throws IOException {
    String[] words = answer("%d %d".formatted(size, count)).split(" ", 2);
    return new GroupProduct.Times(Long.parseLong(words[0]), Long.parseLong(words[1]));
  }

  /// Returns the answer of member 0, when all have answered.
  private String answer(String command) throws IOException {
    say(command + "\n");
    String first = line(0);
    for (int i = 1; i < processes.size(); i++) {
      String _ = line(i);
    }
    return first;
  }

  private void say(String lines) throws IOException {
    for (Writer each : questions) {
      each.write(lines);
      each.flush();
    }
  }

  private String line(int member) throws IOException {
    String line = answers.get(member).readLine();
    if (line == null) {
      throw new IOException(
          "member %d has ended | %s".formatted(member, Files.readString(errors).strip()));
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    try {
      for (Writer each : questions) {
        each.close(); // which ends the process
      }
      for (Process each : processes) {
        boolean _ = each.waitFor(2, TimeUnit.SECONDS);
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
