package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.ProcessMemory;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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

  /// For small rings, and not for large ones.
  private static final long ROOM_BYTES = 3 << 20;

  private static final Redirect NOTHING = Redirect.from(new File("/dev/null"));

  /// Runs a class in a JVM of its own.
  private static Command java(Class<?> main, String... arguments) {
    return Jvm.of(main).quick().command(arguments);
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
    String said = java(Adviser.class).after("ulimit -f 64").output();
    assertTrue(said.contains("could not reserve 561152 bytes: File too large"), said);
    assertTrue(said.contains("not by shm: could not reserve"), said);
    assertTrue(said.endsWith("not taken\n"), said);
  }

  @Test
  void hasSmallRingsWhereALimitForbidsLargeOnes() throws Exception {
    Command limited = java(Both.class, "*").after("ulimit -f 2048");
    assertEquals("received 1048576\n", limited.inputFrom(NOTHING).output());
  }

  /// Connects to itself, and once more after a line of its input: it has addresses for small rings
  /// only then.
  static final class Narrow {
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
          if (i == 0 && System.in.read() < 0) {
            throw new IllegalStateException("nothing is said to it");
          }
        }
        other.submit(others::close).get();
      }
    }
  }

  @Test
  void hasSmallRingsWhereThereAreNoAddressesForLargeOnes() throws Exception {
    Needs.program("prlimit", "util-linux");
    try (Child narrow = Jvm.of(Narrow.class).quick().options("-Xint").command().start()) {
      narrow.expectLine("connected");
      long most = ProcessMemory.of(narrow.pid()).addresses() + ROOM_BYTES;
      String _ = Command.of("prlimit", "--pid", "" + narrow.pid(), "--as=" + most).output();
      narrow.say("");
      assertEquals("connected\nconnected\n", narrow.outcome().orThrow());
    }
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
    Needs.command(
        "this user may not make mount namespaces: unshare -m", Command.of("unshare", "-m", "true"));
    Command inside = java(Both.class, "*").after(fill + " 2> /dev/null").behind("unshare", "-m");
    assertEquals("received 1048576\n", inside.inputFrom(NOTHING).output());
  }

  @Test
  void leavesNothingBehindWhenBothSidesAreKilled() throws Exception {
    String name = "killed-" + ProcessHandle.current().pid();
    List<String> before = sharedFiles();
    try (Child child = java(Both.class, name).start()) {
      child.expectLine("received 1048576");
      assertTrue(sockets().contains(name));
      child.kill();
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
