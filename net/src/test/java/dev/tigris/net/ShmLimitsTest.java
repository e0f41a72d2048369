package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.os.SystemException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// What becomes of shared memory where the system gives little of it, and after processes were
/// killed.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ShmLimitsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// A command that runs a class here.
  private static List<String> java(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(
        Stream.of(SystemException.class, Jbuf.class, Fabric.class, main)
            .map(ClassFolder::of)
            .reduce(
                System.getProperty("surefire.real.class.path", ""),
                (paths, path) -> paths + File.pathSeparator + path));
    command.add(main.getName());
    command.addAll(Arrays.asList(arguments));
    return command;
  }

  /// Runs a command in a shell after another one that prepares it.
  private static Process start(String preparation, List<String> command) throws IOException {
    List<String> words =
        new ArrayList<>(List.of("sh", "-c", preparation + " && exec \"$@\"", "sh"));
    words.addAll(command);
    return new ProcessBuilder(words).redirectErrorStream(true).start();
  }

  private static String run(Process process) throws Exception {
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  /// Says what it thinks of shared memory, and which provider is best.
  static final class Adviser {
    private Adviser() {}

    public static void main(String[] arguments) {
      Fabric.candidates("localhost").stream()
          .filter(each -> each.name().equals("shm"))
          .forEach(shm -> System.out.println(shm.obstacle().orElse("nothing against it")));
      try (Fabric best = Fabric.best("localhost")) {
        System.out.println(best.provider().equals("shm") ? "taken" : "not taken");
      }
    }
  }

  @Test
  void saysWhichLimitForbidsItAndTakesAnotherProvider() throws Exception {
    String said = run(start("ulimit -f 64", java(Adviser.class)));
    assertTrue(said.contains("could not reserve 561152 bytes: File too large"), said);
    assertTrue(said.contains("not by shm: could not reserve"), said);
    assertTrue(said.endsWith("not taken"), said);
  }

  @Test
  void hasSmallRingsWhereALimitForbidsLargeOnes() throws Exception {
    List<String> limited = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" < /dev/null", "sh"));
    limited.addAll(java(Both.class, "*"));
    assertEquals("received 1048576", run(start("ulimit -f 2048", limited)));
  }

  /// Connects to itself, and once more when it has addresses for small rings only.
  static final class Narrow {
    private static final long ROOM_BYTES = 3 << 20;

    private Narrow() {}

    public static void main(String[] arguments) throws Exception {
      try (ExecutorService other = Executors.newSingleThreadExecutor();
          Fabric fabric = Fabric.open("shm");
          Listener listener = fabric.listen("*");
          CompletionQueue queue = fabric.completionQueue()) {
        CompletionQueue others = other.submit(() -> fabric.completionQueue()).get();
        for (int i = 0; i < 2; i++) {
          Future<Connection> asked =
              other.submit(
                  () ->
                      fabric.connect(listener.address(), 1, others, Attributes.DEFAULT, PATIENCE));
          VirtualInterface _ = listener.next(PATIENCE).accept(queue, Attributes.DEFAULT);
          System.out.println(
              asked.get() instanceof Connection.Established ? "connected" : "refused");
          if (i == 0) {
            forbidMore();
          }
        }
        other.submit(others::close).get();
      }
    }

    /// The JDK watches a process by a thread, which takes many addresses as it starts. It is there,
    /// and waits for the next one, before what is taken is counted.
    private static void forbidMore() throws Exception {
      run("true");
      long limit = ProcessMemory.now().addresses() + ROOM_BYTES;
      run("prlimit", "--pid", "" + ProcessHandle.current().pid(), "--as=" + limit);
    }

    private static void run(String... command) throws Exception {
      if (new ProcessBuilder(command).start().waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", command) + " has failed");
      }
    }
  }

  @Test
  void hasSmallRingsWhereThereAreNoAddressesForLargeOnes() throws Exception {
    List<String> command = new ArrayList<>(java(Narrow.class));
    command.addAll(1, List.of("-XX:+UseSerialGC", "-Xint"));
    assertEquals("connected\nconnected", run(start("true", command)));
  }

  /// Connects to itself, and exchanges a message.
  static final class Both {
    private Both() {}

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open("shm");
          Listener listener = fabric.listen(arguments[0]);
          CompletionQueue queue = fabric.completionQueue()) {
        FutureTask<String> other = new FutureTask<>(() -> connect(fabric, listener.address()));
        Thread.ofPlatform().daemon().start(other);
        VirtualInterface peer = listener.next(PATIENCE).accept(queue, Attributes.DEFAULT);
        peer.postReceive(peer.register(Jbuf.allocate(1 << 20).asBytes())).orThrow();
        Ticket arrived = (Ticket) queue.await(20_000_000_000L);
        System.out.println("received " + arrived.transferredBytes());
        if (System.in.read() >= 0) { // until it is killed, or told to end
          throw new IllegalStateException("nothing is said to it");
        }
        peer.deregister(arrived);
        peer.close();
        other.get();
      }
    }

    private static String connect(Fabric fabric, String address) {
      try (CompletionQueue queue = fabric.completionQueue()) {
        VirtualInterface peer =
            fabric.connect(address, 1, queue, Attributes.DEFAULT, PATIENCE).get();
        Ticket message = peer.register(Jbuf.allocate(1 << 20).asBytes());
        peer.postSend(message).orThrow();
        while (peer.state() == InterfaceState.CONNECTED) {
          Descriptor _ = queue.await(1_000_000_000L);
        }
        peer.deregister(message);
        return "ended";
      }
    }
  }

  @Test
  void worksWhereTheFolderForSharedMemoryIsFull() throws Exception {
    String fill = "mount -t tmpfs -o size=1m tmpfs /dev/shm && ! cat /dev/zero > /dev/shm/full";
    Process trial = start("unshare -m true", List.of("true"));
    assumeTrue(trial.waitFor() == 0, "this user may not make mount namespaces: unshare -m");
    List<String> inside = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    inside.add(fill + " 2> /dev/null && exec \"$@\" < /dev/null");
    inside.add("sh");
    inside.addAll(java(Both.class, "*"));
    assertEquals("received 1048576", run(start("true", inside)));
  }

  @Test
  void leavesNothingBehindWhenBothSidesAreKilled() throws Exception {
    String name = "killed-" + ProcessHandle.current().pid();
    List<String> before = sharedFiles();
    Process process = start("true", java(Both.class, name));
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("received 1048576", output.readLine());
      assertTrue(sockets().contains(name));
      process.destroyForcibly().waitFor();
      assertFalse(sockets().contains(name));
      assertEquals(before, sharedFiles());
    }
    try (Fabric fabric = Fabric.open("shm");
        Listener again = fabric.listen(name)) {
      assertEquals(name, again.address());
    }
  }

  private static String sockets() throws IOException {
    return Files.readString(Path.of("/proc/net/unix"));
  }

  /// Of Tigris: others may come and go.
  private static List<String> sharedFiles() {
    return Arrays.stream(new File("/dev/shm").list()).filter(f -> f.contains("tigris")).toList();
  }
}
