package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.testing.raw.Seccomp;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Where io_uring is forbidden, `tcp` takes over, and says so. Each case is a process of its own.
@Timeout(120)
class WithoutIoUringTest {
  /// Not this host, and nothing is sent to it.
  private static final String ANOTHER_HOST = "192.0.2.1";

  private static final Path SYSCTL = Path.of("/proc/sys/kernel/io_uring_disabled");

  /// Forbids itself io_uring if it is told to, and uses the best provider that is left.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      if (arguments.length > 1) {
        Seccomp.forbidTellingIoUring(
            Integer.parseInt(arguments[1]), Integer.parseInt(arguments[0]));
      } else if (arguments.length > 0) {
        Seccomp.forbidIoUring(Integer.parseInt(arguments[0]));
      }
      try (Fabric best = Fabric.best(ANOTHER_HOST)) {
        talk(best);
        System.out.println("carried by " + best.provider());
      }
      try {
        Fabric.open("uring").close();
      } catch (NetException refusal) {
        System.out.println("refused: " + refusal.getMessage());
      }
    }

    private static void talk(Fabric fabric) throws InterruptedException {
      try (CompletionQueue to = fabric.completionQueue();
          Listener listener = fabric.listen("127.0.0.1:0")) {
        Thread sender =
            Thread.ofVirtual()
                .start(
                    () -> {
                      try (CompletionQueue other = fabric.completionQueue()) {
                        VirtualInterface peer =
                            fabric
                                .connect(
                                    listener.address(),
                                    1,
                                    other,
                                    Attributes.DEFAULT,
                                    Duration.ofSeconds(20))
                                .get();
                        peer.postSend(peer.register(Jbuf.allocate(10).asBytes())).orThrow();
                        while (other.await(Long.MAX_VALUE) == null) {
                          Thread.onSpinWait();
                        }
                      }
                    });
        VirtualInterface link =
            listener.next(Duration.ofSeconds(20)).accept(to, Attributes.DEFAULT);
        Ticket memory = link.register(Jbuf.allocate(10).asBytes());
        link.postReceive(memory).orThrow();
        if (to.await(20_000_000_000L) != memory) {
          throw new IllegalStateException("nothing has arrived");
        }
        sender.join();
      }
    }
  }

  private static String run(List<String> launcher, String... arguments) {
    return Jvm.of(Child.class).quick().command(arguments).behind(launcher).run().output();
  }

  private static void expectTcp(String said, String reason) {
    assertTrue(said.contains("carried by tcp"), said);
    String logged = "messages to %s are carried by tcp".formatted(ANOTHER_HOST);
    String line = said.lines().filter(each -> each.contains(logged)).findFirst().orElse("");
    assertTrue(line.contains("not by uring") && line.contains(reason), said);
    assertTrue(said.lines().anyMatch(l -> l.startsWith("refused") && l.contains(reason)), said);
  }

  /// The answer of a process that nothing is forbidden to.
  private static String unhindered;

  private static synchronized void assumeThatItIsAllowed() {
    if (unhindered == null) {
      unhindered = run(List.of());
    }
    assumeThatItIsAllowed(unhindered);
  }

  private static void assumeThatItIsAllowed(String said) {
    assumeTrue(said.contains("carried by uring"), () -> "io_uring cannot be used anyway: " + said);
  }

  @ParameterizedTest
  @CsvSource({"1, is forbidden", "38, a seccomp filter hides it"})
  void tcpTakesOverWhereASeccompFilterForbidsIt(int error, String reason) {
    assumeThatItIsAllowed();
    expectTcp(run(List.of(), String.valueOf(error)), reason);
  }

  /// As on a kernel that has io_uring, and not all that is needed of it.
  @ParameterizedTest
  @CsvSource({
    "22, 8, ask io_uring for its operations",
    "22, 22, give io_uring a ring of buffers",
    "1, 22, is forbidden"
  })
  void tcpTakesOverWhereAPartOfItIsMissing(int error, int kind, String reason) {
    assumeThatItIsAllowed();
    expectTcp(run(List.of(), String.valueOf(error), String.valueOf(kind)), reason);
  }

  /// 1 forbids it to processes without privileges: so nobody else on this host, if they have any,
  /// notices.
  @Test
  void tcpTakesOverWhereTheAdministratorForbidsIt() throws Exception {
    assumeTrue(
        Files.isWritable(SYSCTL) && Files.isExecutable(Path.of("/usr/bin/setpriv")),
        "needs root, setpriv and Linux 6.6");
    String before = Files.readString(SYSCTL).strip();
    assumeTrue(before.equals("0"), "it is forbidden anyway");
    List<String> asNobody =
        List.of(
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all");
    assumeThatItIsAllowed(run(asNobody));
    Files.writeString(SYSCTL, "1");
    try {
      expectTcp(run(asNobody), "kernel.io_uring_disabled");
    } finally {
      Files.writeString(SYSCTL, before);
    }
  }
}
