package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A host with two ports to connect from, as one is that has made many connections.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FewPortsTest {
  private static final String PREPARATION =
      "ip link set lo up && echo 50000 50001 > /proc/sys/net/ipv4/ip_local_port_range";

  /// Connects to itself until it cannot.
  static final class Caller {
    private Caller() {}

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0]);
          Listener listener = fabric.listen("127.0.0.1:7000");
          CompletionQueue queue = fabric.completionQueue()) {
        FutureTask<String> connecting = new FutureTask<>(() -> connect(fabric));
        Thread.ofPlatform().start(connecting);
        while (!connecting.isDone()) {
          ConnectionRequest request = listener.next(Duration.ofMillis(10));
          if (request != null) {
            VirtualInterface _ = request.accept(queue, Attributes.DEFAULT);
          }
          Descriptor _ = queue.poll();
        }
        System.out.println(connecting.get());
      }
    }

    private static String connect(Fabric fabric) {
      int made = 0;
      try (CompletionQueue queue = fabric.completionQueue()) {
        Duration patience = Duration.ofSeconds(20);
        Connection last = null;
        while (!(last instanceof Connection.Refused)) {
          last = fabric.connect("127.0.0.1:7000", 1, queue, Attributes.DEFAULT, patience);
          made++;
        }
        return made + " and " + last;
      } catch (NetException e) {
        return made + " and then: " + e.getMessage();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void saysThatNoPortIsFreeAndNotThatNobodyListens(String provider) {
    assumeTrue(!provider.equals("uring") || UringTest.isAllowed(), "io_uring is not allowed here");
    Command trial = Command.of("true").after(PREPARATION).behind("unshare", "-n");
    Needs.command("this user may not make such a network", trial);
    String said =
        Jvm.of(Caller.class)
            .quick()
            .command(provider)
            .after(PREPARATION)
            .behind("unshare", "-n")
            .output();
    assertTrue(said.startsWith("2 and then: connect to 127.0.0.1:7000: "), said);
    assertTrue(said.contains("ip_local_port_range"), said);
  }
}
