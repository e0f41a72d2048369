package dev.tigris.bench.net;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Two processes with the command lines of [WorkerMain], which exchange messages.
final class ProcessPair implements Exchange {
  private static final int TIMEOUT_SECONDS = 60;

  private final String name;
  private final Path errors;
  private final Process server;
  private final Process client;
  private final BufferedReader answers;
  private final Writer questions;
  private Closeable afterwards = () -> {};

  /// Starts both.
  ///
  /// @param command of a process, without `serve` or `measure` and the address
  /// @param address to listen at
  static ProcessPair start(String name, List<String> command, String address, Place place)
      throws IOException {
    return start(name, command, command, address, place);
  }

  /// As above, with processes of different kinds.
  static ProcessPair start(
      String name,
      List<String> serverCommand,
      List<String> clientCommand,
      String address,
      Place place)
      throws IOException {
    Path errors = Files.createTempFile(place.folder(), "duo-", ".err");
    Process server = null;
    boolean started = false;
    try {
      server = start(place.server(with(serverCommand, "serve", address)), errors);
      String first = line(server.inputReader());
      if (first == null || !first.startsWith("listening ")) {
        throw failed(name, "does not listen: " + first, errors);
      }
      String actual = first.substring("listening ".length());
      Process client = start(place.client(with(clientCommand, "measure", actual)), errors);
      started = true;
      return new ProcessPair(name, errors, server, client);
    } finally {
      if (!started) {
        if (server != null) {
          server.destroyForcibly();
        }
        Files.deleteIfExists(errors);
      }
    }
  }

  private ProcessPair(String name, Path errors, Process server, Process client) {
    this.name = name;
    this.errors = errors;
    this.server = server;
    this.client = client;
    this.answers = client.inputReader();
    this.questions = client.outputWriter();
  }

  /// The same, closing something when both processes have ended.
  ProcessPair andThen(Closeable something) {
    afterwards = something;
    return this;
  }

  private static List<String> with(List<String> command, String... more) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(more));
    return all;
  }

  private static Process start(List<String> command, Path errors) throws IOException {
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
        .start();
  }

  private static IOException failed(String name, String what, Path errors) throws IOException {
    return new IOException(name + " " + what + " | " + Files.readString(errors).strip());
  }

  /// The next line, or null at the end; or if there is none for a minute.
  @SuppressWarnings("NullAway") // a line is null at the end of the input
  private static String line(BufferedReader from) throws IOException {
    FutureTask<String> reading = new FutureTask<>(from::readLine);
    Thread.ofVirtual().start(reading);
    try {
      return reading.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private long[] ask(String what, int bytes, int count) throws IOException {
    questions.write("%s %d %d%n".formatted(what, bytes, count));
    questions.flush();
    String answer = line(answers);
    String[] words = answer == null ? new String[0] : answer.split(" ", -1);
    if (words.length != 3) {
      throw failed(name, "does not answer %s %d %d".formatted(what, bytes, count), errors);
    }
    long[] numbers = new long[words.length];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Long.parseLong(words[i]);
    }
    return numbers;
  }

  @Override
  public RoundTrips pingPong(int bytes, int count) throws IOException {
    long[] answer = ask("pingpong", bytes, count);
    return new RoundTrips(answer[0], answer[1], answer[2]);
  }

  @Override
  public OneWay bandwidth(int bytes, int count) throws IOException {
    long[] answer = ask("bandwidth", bytes, count);
    return new OneWay((double) answer[0] / count, answer[1] + answer[2]);
  }

  @Override
  public void close() throws IOException {
    try {
      questions.close(); // ends the client, which closes its connection
      client.waitFor(1, TimeUnit.SECONDS);
    } catch (IOException e) {
      // it has ended already
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      client.destroyForcibly();
      server.destroyForcibly();
      Files.deleteIfExists(errors);
      afterwards.close();
    }
  }
}
