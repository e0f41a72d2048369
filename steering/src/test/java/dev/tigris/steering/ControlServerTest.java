package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A server, its file, and clients of both kinds: ours and hostile ones.
class ControlServerTest {
  @TempDir private Path runs;

  /// Works until it is cancelled.
  public static final class Endless implements FlowProgram {
    @Override
    public Flow describe(Arguments arguments) {
      return Flow.named("endless").source("turn", Turn::new, 1).build();
    }
  }

  private static final class Turn implements Source {
    @Override
    public boolean produce(Stream out) {
      Thread.onSpinWait();
      return true;
    }
  }

  private ClusterRun start() throws Exception {
    return Cluster.threads().withRuns(runs).withFolder().start(Endless.class);
  }

  @Test
  void aClientFindsTheServerByTheFolderAndCancelsTheRun() throws Exception {
    ClusterRun run = start();
    Path folder = run.folder().orElseThrow();
    Path file = folder.resolve(RunRecovery.API);
    try (ControlServer _ = ControlServer.start(run)) {
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      RunClient client = RunClient.of(folder);
      Map<String, ?> members = client.get("/api/v1/run").members();
      assertEquals("running", members.get("phase"));
      assertEquals(404, client.get("/api/v1/nothing").status());
      RunClient.Reply reply =
          client.post(
              "/api/v1/cancel",
              Map.of(
                  "request",
                  "x",
                  "revision",
                  assertInstanceOf(Long.class, members.get("revision"))));
      assertTrue(reply.isWell(), reply.members()::toString);
      assertThrows(CancellationException.class, run::await);
    }
    assertFalse(Files.exists(file));
    RunRecord over = RunRecord.of(folder);
    assertEquals(RunRecord.State.OVER, over.state());
    assertEquals("cancelled", over.outcome());
    String history = Files.readString(folder.resolve(ControlServer.HISTORY));
    assertTrue(history.contains("\"text\":\"cancel\""), history);
  }

  /// A hundred clients that send half of a request and wait keep none of ours waiting.
  @Test
  void slowAndHostileClientsDoNotKeepOthersWaiting() throws Exception {
    ClusterRun run = start();
    List<Socket> slow = new ArrayList<>();
    try (ControlServer _ = ControlServer.start(run)) {
      Path folder = run.folder().orElseThrow();
      RunClient client = RunClient.of(folder);
      String address = Files.readString(folder.resolve(RunRecovery.API));
      int port = Integer.parseInt(address.replaceAll("(?s).*127.0.0.1:([0-9]+).*", "$1"));
      for (int i = 0; i < 100; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        slow.add(socket);
        String part =
            i % 2 == 0 ? "POST /api/v1/cancel HTTP/1.1\r\nHost: x" : "\u0000\u00ff\r\n\r\n";
        socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
      }
      assertEquals(200, client.get("/api/v1/run").status());
    } finally {
      for (Socket each : slow) {
        each.close();
      }
      run.cancel();
      assertThrows(CancellationException.class, run::await);
    }
  }

  /// Over TLS, those with the key of a coordinator are let in, and need no token.
  @Test
  @Slow("keys are made by processes of their own")
  void clientsOfOtherHostsAreKnownByTheirKeys(@TempDir Path keys) throws Exception {
    HostKeys ours = HostKeys.init(keys.resolve("ours"));
    Path server = ours.coordinator("coordinator", 1);
    Path worker = ours.worker(List.of("127.0.0.1"), 1);
    Path stranger = HostKeys.init(keys.resolve("theirs")).coordinator("coordinator", 1);
    ClusterRun run = start();
    try (ControlServer control = ControlServer.start(run)) {
      URI address = control.listen("127.0.0.1", 0, server);
      Map<String, ?> members = RunClient.of(address, server).get("/api/v1/run").members();
      assertEquals("running", members.get("phase"));
      for (Path other : List.of(worker, stranger)) {
        RunClient unknown = RunClient.of(address, other);
        assertThrows(IOException.class, () -> unknown.get("/livez"));
      }
      URI plain = URI.create(address.toString().replace("https", "http"));
      assertThrows(IOException.class, () -> RunClient.of(plain, server));
      assertThrows(IOException.class, () -> plain.toURL().openStream().close());
      Map<String, Object> body =
          Map.of("request", "x", "revision", assertInstanceOf(Long.class, members.get("revision")));
      assertTrue(RunClient.of(address, server).post("/api/v1/cancel", body).isWell());
      assertThrows(CancellationException.class, run::await);
    }
  }

  @Test
  void aRunWithoutAFolderIsRefusedAndSoIsAFileThatOthersCanRead() throws Exception {
    assertThrows(IllegalArgumentException.class, () -> ControlServer.start(new FakeRun()));
    Path file = Files.writeString(runs.resolve(RunRecovery.API), "version=1\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThrows(IOException.class, () -> RunClient.of(runs));
  }
}
