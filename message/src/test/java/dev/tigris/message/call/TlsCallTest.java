package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.net.Tls;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.TlsKey;
import dev.tigris.testing.process.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls over TLS: clients that the server trusts are served, and no others.
@Slow("two processes make keys")
class TlsCallTest {
  @TempDir private Path folder;

  @Test
  void servesThoseThatItTrusts() throws Exception {
    List<Child> making = new ArrayList<>();
    for (String name : List.of("ours", "strange")) {
      making.add(TlsKey.begin(folder, name, "san=ip:127.0.0.1"));
    }
    for (Child each : making) {
      String _ = each.outcome().orThrow();
    }
    try (Fabric fabric = Fabric.openTls("tcp", tls("ours"));
        Fabric strange = Fabric.openTls("tcp", tls("strange"));
        Fabric plain = Fabric.open("tcp");
        CallServer server =
            Calls.serve(
                fabric,
                "orders@127.0.0.1:0",
                ServerOptions.DEFAULT,
                Calls.service(Orders.class, new Book()))) {
      String at = "orders@" + server.address();
      Orders orders = Calls.client(Orders.class, fabric, at, CallOptions.DEFAULT);
      Order found = orders.find(4);
      assertEquals(40, found.quantity);
      Calls.release(orders, found);
      CallOptions brief = CallOptions.DEFAULT.withConnecting(Duration.ofSeconds(2));
      for (Fabric other : List.of(strange, plain)) {
        CallException refused =
            assertThrows(CallException.class, () -> Calls.client(Orders.class, other, at, brief));
        assertEquals(Status.UNAVAILABLE, refused.status(), refused.getMessage());
        assertTrue(refused.getMessage().contains(server.address()), refused.getMessage());
      }
      found = orders.find(5);
      assertEquals(50, found.quantity, "those that it trusts are served still");
      Calls.release(orders, found);
      Wait.until("no buffer is out", () -> server.statistics().buffers() == 0);
      assertEquals(0, Calls.statistics(orders).buffers());
      Calls.close(orders);
    }
  }

  private Tls tls(String name) throws IOException, GeneralSecurityException {
    TlsKey key = TlsKey.load(folder.resolve(name));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(key.keys(), TlsKey.trusting(TlsKey.load(folder.resolve("ours"))), null);
    return Tls.of(context);
  }
}
