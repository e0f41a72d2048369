package dev.tigris.bench.runs;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A process on a host of a [Switch] that answers each line by one.
final class NodeProcess implements Closeable {
  private final Process process;
  private final BufferedReader answers;
  private final Writer questions;

  /// Starts a class, whose argument is the address of the host.
  ///
  /// @param options of Java
  NodeProcess(Switch network, int host, Class<?> main, String... options) throws IOException {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.addAll(List.of(options));
    java.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            Switch.address(host)));
    process =
        new ProcessBuilder(network.on(host, java))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    answers = process.inputReader();
    questions = process.outputWriter();
  }

  String ask(String question) throws IOException {
    questions.write(question + "\n");
    questions.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("a process has ended instead of an answer to: " + question);
    }
    return answer;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
