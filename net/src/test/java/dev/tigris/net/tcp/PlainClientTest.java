package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Tls;
import dev.tigris.net.uring.IoUringHere;
import dev.tigris.testing.host.TlsKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients without TLS.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PlainClientTest {
  private static Connection connect(String provider, String address) {
    try (Fabric fabric = Fabric.open(provider);
        CompletionQueue queue = fabric.completionQueue()) {
      return fabric.connect(address, 1, queue, Attributes.DEFAULT, Duration.ofSeconds(20));
    }
  }

  private static TlsKey self;

  @BeforeAll
  static void makeKey(@TempDir Path folder) throws Exception {
    self = TlsPeer.key(folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void hearsThatAListenerExpectsTls(String provider) throws Exception {
    assumeTrue(provider.equals("tcp") || IoUringHere.isAllowed(), "there is no io_uring");
    Tls tls = Tls.of(TlsPeer.context(self, new AtomicInteger()));
    try (Fabric fabric = Fabric.openTls("tcp", tls);
        Listener listener = fabric.listen("127.0.0.1:0")) {
      var client = CompletableFuture.supplyAsync(() -> connect(provider, listener.address()));
      while (!client.isDone()) {
        assertNull(listener.next(Duration.ofMillis(5)));
      }
      String detail = assertInstanceOf(Connection.Refused.class, client.get()).detail();
      assertTrue(detail.contains("it expects TLS"), detail);
    }
  }
}
