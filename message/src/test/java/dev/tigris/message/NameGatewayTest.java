package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.NameService.Location;
import dev.tigris.net.Fabric;
import dev.tigris.net.Tls;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.TlsKey;
import dev.tigris.testing.process.Child;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Look-ups of other machines: only those that are trusted get an answer, and only an answer.
@Slow("two processes make keys")
class NameGatewayTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Location TCP = new Location("tcp", "0.0.0.0:7400");
  private static final long TAG = 7;

  @TempDir static Path folder;
  private static Tls ours;
  private static Tls strange;
  private static NameService names;
  private static String machine;

  @BeforeAll
  static void open() throws Exception {
    Path _ = Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    String host = "san=ip:127.0.0.1";
    List<Child> making = new ArrayList<>();
    for (String name : List.of("ours", "strange")) {
      making.add(TlsKey.begin(folder, name, host));
    }
    names = NameService.open(folder);
    names.register("sums", TAG, List.of(TCP, new Location("shm", "here")), PATIENCE);
    names.register("inner", TAG, List.of(new Location("shm", "here")), PATIENCE);
    for (Child child : making) {
      String _ = child.outcome().orThrow();
    }
    ours = tls("ours");
    strange = tls("strange");
    machine = names.listen("127.0.0.1:0", ours);
  }

  private static Tls tls(String name) throws IOException, GeneralSecurityException {
    TlsKey key = TlsKey.load(folder.resolve(name));
    TlsKey trusted = TlsKey.load(folder.resolve("ours"));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(key.keys(), TlsKey.trusting(trusted), null);
    return Tls.of(context);
  }

  @AfterAll
  static void close() {
    names.close();
  }

  @Test
  void tellsAnotherMachineWhereItReachesAnEndpoint() {
    assertEquals(
        List.of(new Location("tcp", "127.0.0.1:7400")),
        NameService.find(machine, ours, "sums", TAG, PATIENCE));
    assertEquals(List.of(), NameService.find(machine, ours, "inner", TAG, PATIENCE));
    assertEquals(List.of(), NameService.find(machine, ours, "nothing", TAG, PATIENCE));
    assertThrows(
        MessageException.class, () -> NameService.find(machine, ours, "sums", TAG + 1, PATIENCE));
    assertThrows(IllegalStateException.class, () -> names.listen("127.0.0.1:0", ours));
  }

  @Test
  void anEndpointIsReachedOverTlsByTheNameOfTheProvider() {
    Duration patience = Duration.ofSeconds(20);
    try (Fabric fabric = Fabric.openTls("tcp", ours);
        Fabric stranger = Fabric.openTls("tcp", strange);
        Party server = new Party(Options.DEFAULT, List.of(fabric));
        Party client = new Party(Options.DEFAULT, List.of(fabric));
        Party other = new Party(Options.DEFAULT, List.of(stranger))) {
      List<Long> taken = new ArrayList<>();
      String address =
          server.call(
              () -> {
                Endpoint at = server.bundle().endpoint("server", 1);
                at.handler(1, (token, message) -> taken.add(message.word(0)));
                return server.bundle().listen("tcp", "127.0.0.1:0");
              });
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 2);
            from.map(0, "tcp", address, "server", 1, patience);
            from.map(1, fabric.provider(), address, "server", 1, patience);
            from.request(0, 1, 17);
            from.request(1, 1, 18);
            assertTrue(from.drain(patience));
          });
      assertEquals(List.of(17L, 18L), server.call(() -> taken.stream().sorted().toList()));
      other.run(
          () -> {
            Endpoint from = other.bundle().endpoint("client", 2);
            assertThrows(
                MessageException.class, () -> from.map(0, "tcp", address, "server", 1, patience));
          });
    }
  }

  @Test
  void answersNoMachineThatItDoesNotTrust() throws IOException {
    String said =
        assertThrows(
                MessageException.class,
                () -> NameService.find(machine, strange, "sums", TAG, PATIENCE))
            .getMessage();
    assertTrue(said.contains("check the address, the certificates"), said);
    HostAndPort at = HostAndPort.parse(machine);
    try (Socket plain = new Socket(at.host(), at.port())) {
      plain.getOutputStream().write("hello\t1\t1\n".getBytes(StandardCharsets.UTF_8));
      InputStream in = plain.getInputStream();
      byte[] answer = in.readAllBytes();
      assertTrue(new String(answer, StandardCharsets.ISO_8859_1).indexOf("welcome") < 0);
    }
  }

  @Test
  void strangersDoNotKeepTheirPlaces() throws IOException {
    List<Socket> strangers = new ArrayList<>();
    try (NameGateway gateway =
        new NameGateway(names, "127.0.0.1:0", ours, Duration.ofMillis(500))) {
      HostAndPort at = HostAndPort.parse(gateway.address());
      for (int i = 0; i < 256; i++) {
        strangers.add(new Socket(at.host(), at.port()));
      }
      Wait.until(
          "there is a place",
          () -> {
            for (Socket each : strangers) {
              write(each, 22); // a handshake begins like that; the first byte again and again
            }
            try {
              return !NameService.find(at.toString(), ours, "sums", TAG, PATIENCE).isEmpty();
            } catch (MessageException e) {
              return false;
            }
          });
    } finally {
      for (Socket each : strangers) {
        each.close();
      }
    }
  }

  private static void write(Socket to, int value) {
    try {
      to.getOutputStream().write(value);
    } catch (IOException e) {
      // it was closed
    }
  }

  @Test
  void anotherMachineCannotRegister() throws IOException {
    HostAndPort at = HostAndPort.parse(machine);
    try (SSLSocket socket =
        (SSLSocket) ours.context().getSocketFactory().createSocket(at.host(), at.port())) {
      String lines = "hello\t1\t1\nregister\t7\ttcp\t6.6.6.6:1\tevil\n";
      socket.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals("welcome\t1\n", answer);
    }
    assertEquals(List.of(), names.find("evil", 7, PATIENCE));
  }
}
