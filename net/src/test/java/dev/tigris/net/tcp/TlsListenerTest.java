package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Tls;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.testing.host.TlsKey;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who connects to a listener with TLS, and says nothing, or less or more than others do.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TlsListenerTest {
  private static final int STRANGERS = 200;

  private static TlsKey self;

  private final List<SocketChannel> sockets = new ArrayList<>();
  private Tls tls;
  private Fabric fabric;
  private Listener listener;

  /// Where strangers connect.
  private String address = "";

  @BeforeAll
  static void makeKey(@TempDir Path folder) throws Exception {
    self = TlsPeer.key(folder);
  }

  @BeforeEach
  void listen() throws Exception {
    tls = Tls.of(TlsPeer.context(self, new AtomicInteger()));
    fabric = Fabric.openTls("tcp", tls);
    listener = fabric.listen("127.0.0.1:0");
    address = listener.address();
  }

  @AfterEach
  void close() throws Exception {
    for (SocketChannel each : sockets) {
      each.close();
    }
    listener.close();
    fabric.close();
  }

  private SocketChannel connect() throws Exception {
    SocketChannel socket = SocketChannel.open(TcpAddress.parse(address));
    socket.configureBlocking(false);
    sockets.add(socket);
    return socket;
  }

  private TlsPeer stranger() throws Exception {
    SSLEngine engine = tls.context().createSSLEngine();
    engine.setUseClientMode(true);
    TlsPeer stranger = new TlsPeer(connect(), engine);
    stranger.step(); // it says hello
    return stranger;
  }

  private int answered() throws Exception {
    int answered = 0;
    for (SocketChannel each : sockets) {
      answered += each.socket().getInputStream().available() > 0 ? 1 : 0;
    }
    return answered;
  }

  /// Each takes a signature, and in all they take much longer than the listener was told to wait.
  /// Where other programs run, too, they may take longer than a peer usually has for its request.
  @Test
  void answersStrangersAFewAtATime() throws Exception {
    try (var patient = new TcpListener("127.0.0.1:0", TimeUnit.MINUTES.toNanos(1), tls)) {
      address = patient.address();
      for (int i = 0; i < STRANGERS; i++) {
        stranger();
      }
      int before = 0;
      int calls = 0;
      while (before < STRANGERS) {
        assertTrue(calls++ < 20_000, "not all are answered");
        assertNull(patient.next(TimeUnit.MILLISECONDS.toNanos(1)));
        int after = answered();
        assertTrue(after >= before);
        before = after;
      }
      assertTrue(calls > 1, "all in one call");
    }
  }

  /// As many as come, each has its turn before those who come later have a second one.
  @Test
  void listensToSomebodyWhileMoreAndMoreComeIn() throws Exception {
    TlsPeer peer = stranger();
    ConnectionRequest request = null;
    boolean asks = true;
    int calls = 0;
    while (request == null) {
      assertTrue(calls++ < 2_000, "it has no turn");
      for (int waiting = sockets.size() - answered(); waiting < STRANGERS / 5; waiting++) {
        stranger();
      }
      request = listener.next(Duration.ofMillis(1));
      while (!peer.isOpen() && peer.hasReceived()) {
        peer.step();
      }
      if (peer.isOpen() && asks) {
        peer.say(Hello.request(7, Attributes.DEFAULT).toBytes());
        peer.send();
        asks = false;
      }
    }
    assertEquals(7, request.tag());
    request.reject();
  }

  @Test
  void takesNoMemoryForThoseWhoSayNothing() throws Exception {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(each -> each.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    assertNull(listener.next(Duration.ZERO));
    long before = direct.getMemoryUsed();
    for (int i = 0; i < STRANGERS; i++) {
      connect();
    }
    assertNull(listener.next(Duration.ofMillis(1)));
    long taken = direct.getMemoryUsed() - before;
    assertTrue(taken < STRANGERS * 4096L, taken + " bytes");
  }

  /// All has arrived at once, and the rest of it has its turn when nothing more comes.
  @Test
  void takesARequestThatComesBehindManyRecordsThatBringNothing() throws Exception {
    TlsPeer peer = stranger();
    while (!peer.isOpen()) {
      assertNull(listener.next(Duration.ZERO));
      peer.step();
    }
    for (int i = 0; i < 3 * TlsWire.MOST_EMPTY_RECORDS; i++) {
      peer.askForKeys();
    }
    assertTrue(peer.toSend.position() > 3 * TlsWire.MOST_EMPTY_RECORDS);
    peer.say(Hello.request(7, Attributes.DEFAULT).toBytes());
    peer.send();
    ConnectionRequest request = listener.next(Duration.ofSeconds(60));
    assertNotNull(request);
    assertEquals(7, request.tag());
    request.reject();
  }
}
