package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.engine.MavenJars;
import dev.tigris.bench.engine.PeerProgram;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Flink: in one process, or with a job manager and task managers in processes of their own.
///
/// @param program what it runs
/// @param java the JDK that runs it
/// @param managers how many task managers; 0 for threads
record FlinkContender(PeerProgram program, Path java, int managers, int tasks)
    implements Contender {
  private static final String ARTIFACT = "org.apache.flink:flink-clients:2.3.0";
  private static final int RELEASE = 17;

  private static final String ENTRY = "org.apache.flink.runtime.";

  /// The packages that Flink's scripts open for its JVMs.
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.net",
          "java.io",
          "java.nio",
          "sun.nio.ch",
          "java.lang.reflect",
          "java.text",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks");

  /// Fetches it; empty if that is not possible.
  static Optional<PeerProgram> fetch(Path work) throws IOException, InterruptedException {
    Optional<List<Path>> jars = MavenJars.of(work, ARTIFACT);
    return jars.isEmpty()
        ? Optional.empty()
        : Optional.of(
            PeerProgram.compile(work, FlinkContender.class, "FlinkStart", jars.get(), RELEASE));
  }

  @Override
  public String name() {
    return Bar.FLINK_ENGINE;
  }

  @Override
  public long start(Path work, Path notes) throws IOException, InterruptedException {
    List<Process> servers = new ArrayList<>();
    int rest = managers == 0 ? 0 : freePort();
    Path configuration = Files.createTempDirectory(work, "flink-");
    Files.writeString(configuration.resolve("config.yaml"), configuration(freePort(), rest));
    List<String> client = command(configuration, "FlinkStart");
    client.addAll(List.of(String.valueOf(rest), String.valueOf(tasks), notes.toString()));
    client.add(program.jar().toString());
    long start = System.nanoTime();
    try {
      if (managers > 0) {
        servers.add(server(configuration, "entrypoint.StandaloneSessionClusterEntrypoint"));
        for (int i = 0; i < managers; i++) {
          servers.add(server(configuration, "taskexecutor.TaskManagerRunner"));
        }
      }
      long _ = Commands.timed(client, work);
    } finally {
      for (Process server : servers) {
        server.destroyForcibly();
        server.waitFor();
      }
    }
    return start;
  }

  private Process server(Path configuration, String name) throws IOException {
    List<String> words = command(configuration, ENTRY + name);
    words.addAll(List.of("--configDir", configuration.toString()));
    Path log = Files.createTempFile(configuration, "server-", ".log");
    return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  /// @param folder for its temporary files, which it leaves when it is killed
  private List<String> command(Path folder, String main) {
    List<String> words = new ArrayList<>();
    words.add(java.resolve("bin/java").toString());
    words.addAll(List.of("-Xmx512m", "-Djava.io.tmpdir=" + folder));
    OPENED.forEach(name -> words.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    words.addAll(List.of("-cp", program.classPath(), main));
    return words;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /// Returns the configuration that its scripts would work out, with less memory.
  private static String configuration(int port, int rest) {
    return """
      jobmanager.rpc.address: localhost
      jobmanager.rpc.port: %d
      rest.address: localhost
      rest.bind-address: localhost
      rest.port: %d
      jobmanager.memory.process.size: 800m
      taskmanager.bind-host: localhost
      taskmanager.host: localhost
      taskmanager.numberOfTaskSlots: 1
      taskmanager.cpu.cores: 1.0
      taskmanager.memory.task.heap.size: 128m
      taskmanager.memory.task.off-heap.size: 0b
      taskmanager.memory.framework.heap.size: 128m
      taskmanager.memory.framework.off-heap.size: 128m
      taskmanager.memory.network.min: 64m
      taskmanager.memory.network.max: 64m
      taskmanager.memory.managed.size: 32m
      taskmanager.memory.jvm-metaspace.size: 128m
      taskmanager.memory.jvm-overhead.min: 64m
      taskmanager.memory.jvm-overhead.max: 64m
      """
        .formatted(port, rest);
  }
}
