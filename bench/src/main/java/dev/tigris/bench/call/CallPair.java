package dev.tigris.bench.call;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A server and a client of one contestant, in processes of their own.
///
/// @param name of the contestant in figures
record CallPair(String name, Worker server, Worker client) implements AutoCloseable {
  /// A process that answers questions.
  ///
  /// @param greeting the first line that it has printed
  record Worker(Process process, BufferedReader answers, Writer questions, String greeting)
      implements AutoCloseable {
    static Worker start(Path folder, String... arguments) throws IOException {
      List<String> words = new ArrayList<>();
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      words.add("--enable-native-access=ALL-UNNAMED");
      if (arguments[0].startsWith("aeron")) {
        // Agrona's buffers, below Aeron, need the option. Nothing of ours does.
        words.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
      }
      words.add("-D%s=%s".formatted(CallWorkerMain.FOLDER, folder));
      String options = System.getProperty("tigris.bench.workerOptions", "");
      words.addAll(List.of(options.isBlank() ? new String[0] : options.strip().split(" +", -1)));
      words.addAll(List.of("-cp", System.getProperty("java.class.path")));
      words.add(CallWorkerMain.class.getName());
      words.addAll(List.of(arguments));
      Process process =
          new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader answers = process.inputReader();
      String first = answers.readLine();
      if (first == null) {
        process.destroyForcibly();
        throw new IOException(String.join(" ", arguments) + " has ended");
      }
      return new Worker(process, answers, process.outputWriter(), first);
    }

    double[] ask(String question) throws IOException {
      questions.write(question + "\n");
      questions.flush();
      String answer = answers.readLine();
      if (answer == null) {
        throw new IOException("no answer to: " + question);
      }
      return Arrays.stream(answer.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    /// Ends it by its input, or at the latest after two seconds.
    @Override
    public void close() throws IOException {
      try {
        questions.close();
        boolean _ = process.waitFor(2, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  static CallPair start(Contestant contestant, Path folder) throws IOException {
    String caller = contestant.caller();
    Worker server = Worker.start(folder, caller, "serve");
    Worker client = null;
    try {
      String address = server.greeting().replaceFirst("^listening ", "");
      client = Worker.start(folder, caller, "measure", address);
      return new CallPair(contestant.name(), server, client);
    } finally {
      if (client == null) {
        server.close();
      }
    }
  }

  /// A way to call.
  ///
  /// @param name in figures
  /// @param caller as [Caller#named] knows it
  record Contestant(String name, String caller) {}

  /// Returns the median, and what one call of a thousand exceeds, in nanoseconds.
  double[] latency(int bytes, int perSecond, int calls) throws IOException {
    return client.ask("latency %d %d %d".formatted(bytes, perSecond, calls));
  }

  /// Returns calls a second, one after the other.
  double serial(int bytes, int millis) throws IOException {
    double[] answer = client.ask("serial %d %d".formatted(bytes, millis));
    return answer[0] / answer[1] * 1e9;
  }

  /// Returns calls for each second of a processor that both processes have used, with many calls
  /// under way.
  double perCore(int bytes, int millis) throws IOException {
    double before = server.ask("cpu")[0] + client.ask("cpu")[0];
    double calls = client.ask("many %d %d".formatted(bytes, millis))[0];
    double nanos = server.ask("cpu")[0] + client.ask("cpu")[0] - before;
    return calls / Math.max(1, nanos) * 1e9;
  }

  /// Returns the bytes that both processes allocate for a blocking call.
  double allocatedBlocking(int bytes, int calls) throws IOException {
    double before = server.ask("allocated")[0] + client.ask("allocated")[0];
    double[] _ = client.ask("blocking %d %d".formatted(bytes, calls));
    return (server.ask("allocated")[0] + client.ask("allocated")[0] - before) / calls;
  }

  /// Returns the bytes that the thread of the methods allocates for a call.
  double allocatedInHandler(int bytes, int calls) throws IOException {
    return client.ask("handler %d %d".formatted(bytes, calls))[0] / calls;
  }

  @Override
  public void close() throws IOException {
    try {
      client.close();
    } finally {
      server.close();
    }
  }
}
