package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Tls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A peer that is trusted, and sends records that bring nothing.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TlsWireTest {
  private static final int RECORDS = 50 * TlsWire.MOST_EMPTY_RECORDS;
  private static final char[] PASSWORD = "password".toCharArray();

  @TempDir Path folder;

  private ServerSocketChannel server;
  private SocketChannel peer;
  private SocketChannel ours;
  private SSLEngine engine;
  private Tls tls;

  @BeforeEach
  void connect() throws Exception {
    tls = Tls.of(context());
    server =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    peer = SocketChannel.open(server.getLocalAddress());
    peer.configureBlocking(false);
    ours = server.accept();
    ours.configureBlocking(false);
    engine = tls.context().createSSLEngine();
    engine.setUseClientMode(true);
    engine.beginHandshake();
  }

  @AfterEach
  void close() throws Exception {
    peer.close();
    ours.close();
    server.close();
  }

  /// Somebody who trusts nobody but himself.
  private SSLContext context() throws Exception {
    Path file = folder.resolve("keys");
    String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String options = "-genkeypair -alias self -dname CN=self -keyalg EC -storepass password";
    ProcessBuilder command = new ProcessBuilder(tool);
    command.command().addAll(List.of(options.split(" ")));
    command.command().addAll(List.of("-keystore", file.toString()));
    assertEquals(0, command.redirectErrorStream(true).start().waitFor());
    KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD);
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, null);
    known.setCertificateEntry("self", keys.getCertificate("self"));
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private final ByteBuffer toSend = ByteBuffer.allocate(1 << 20);
  private final ByteBuffer received = ByteBuffer.allocate(1 << 16).flip();
  private final ByteBuffer plain = ByteBuffer.allocate(1 << 16);

  /// What the peer does in its handshake.
  private void step() throws Exception {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> engine.getDelegatedTask().run();
      case NEED_WRAP -> {
        engine.wrap(ByteBuffer.allocate(0), toSend);
        send();
      }
      default -> {
        received.compact();
        peer.read(received);
        received.flip();
        engine.unwrap(received, plain.clear());
      }
    }
  }

  private void send() throws Exception {
    toSend.flip();
    peer.write(toSend);
    toSend.compact();
  }

  @Test
  void takesNoMoreThanAFewRecordsAtATimeThatBringNothing() throws Exception {
    TlsWire wire = TlsWire.accepting(ours, tls);
    ByteBuffer message = ByteBuffer.allocate(100);
    while (!wire.isOpen() || engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
      step();
      assertEquals(0, wire.read(message));
    }
    for (int i = 0; i < RECORDS; i++) {
      engine.beginHandshake(); // which changes the keys, as often as one likes
      assertTrue(engine.wrap(ByteBuffer.allocate(0), toSend).bytesProduced() > 0);
    }
    engine.wrap(ByteBuffer.wrap(new byte[] {1, 2, 3}), toSend);
    int reads = 0;
    while (message.position() == 0) {
      send();
      assertTrue(wire.read(message) >= 0);
      reads++;
    }
    assertEquals(3, message.position(), "what comes behind them is read");
    assertTrue(reads > RECORDS / TlsWire.MOST_EMPTY_RECORDS, reads + " reads");
    assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), message.flip());
  }
}
