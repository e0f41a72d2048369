package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Tls;
import dev.tigris.testing.host.TlsKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A peer that is trusted, or was once, and does not do what a peer does.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TlsWireTest {
  private static final int RECORDS = 50 * TlsWire.MOST_EMPTY_RECORDS;

  private static TlsKey self;

  private final AtomicInteger looks = new AtomicInteger();
  private final ByteBuffer message = ByteBuffer.allocate(100);

  private ServerSocketChannel server;
  private SocketChannel peer;
  private SocketChannel ours;
  private Tls tls;

  @BeforeAll
  static void makeKey(@TempDir Path folder) throws Exception {
    self = TlsPeer.key(folder);
  }

  @BeforeEach
  void listen() throws Exception {
    tls = Tls.of(TlsPeer.context(self, looks)).withoutHosts();
    server =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    connect();
  }

  private void connect() throws Exception {
    peer = SocketChannel.open();
    peer.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 12);
    peer.connect(server.getLocalAddress());
    peer.configureBlocking(false);
    ours = server.accept();
    ours.configureBlocking(false);
  }

  @AfterEach
  void close() throws Exception {
    disconnect();
    server.close();
  }

  private void disconnect() throws Exception {
    peer.close();
    ours.close();
  }

  /// The JDK's engine as it is by itself, which resumes a session where it can.
  private SSLEngine engine(boolean connects) throws Exception {
    SSLEngine engine = tls.context().createSSLEngine("127.0.0.1", 7);
    engine.setUseClientMode(connects);
    engine.setNeedClientAuth(!connects);
    return engine;
  }

  private TlsWire connecting(SocketChannel channel) throws Exception {
    return TlsWire.connecting(channel, tls, (InetSocketAddress) server.getLocalAddress());
  }

  /// Until both have what they need, tickets for other sessions included.
  private void shakeHands(TlsWire wire, TlsPeer other) throws Exception {
    while (!wire.isOpen() || !other.isOpen()) {
      other.step();
      readNothing(wire);
    }
    other.step();
  }

  private void readNothing(TlsWire wire) throws Exception {
    assertEquals(0, wire.read(message));
    wire.flush();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  @Test
  void takesNoMoreThanAFewRecordsAtATimeThatBringNothing() throws Exception {
    TlsWire wire = TlsWire.accepting(ours, tls);
    TlsPeer asking = new TlsPeer(peer, engine(true));
    shakeHands(wire, asking);
    for (int i = 0; i < RECORDS; i++) {
      asking.askForKeys();
    }
    asking.say(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    int reads = 0;
    while (message.position() == 0) {
      asking.send();
      assertTrue(wire.read(message) >= 0);
      reads++;
    }
    assertEquals(3, message.position(), "what comes behind them is read");
    assertTrue(reads > RECORDS / TlsWire.MOST_EMPTY_RECORDS, reads + " reads");
    assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), message.flip());
  }

  @Test
  void endsWhereItsAnswersWouldPileUpSinceNobodyReadsThem() throws Exception {
    ours.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 12);
    peer.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 12); // else it may grow to hold them all
    TlsWire wire = TlsWire.accepting(ours, tls);
    TlsPeer asking = new TlsPeer(peer, engine(true));
    shakeHands(wire, asking);
    SSLException why =
        assertThrows(
            SSLException.class,
            () -> {
              for (int i = 0; i < 50_000; i++) {
                asking.askForKeys();
                asking.send();
                assertEquals(0, wire.read(message));
              }
            });
    assertTrue(why.getMessage().contains("more than it reads"), why.getMessage());
  }

  @Test
  void showsAndLooksAtCertificatesForEachConnection() throws Exception {
    for (int i = 1; i <= 3; i++) {
      TlsWire accepting = TlsWire.accepting(ours, tls);
      TlsWire connecting = connecting(peer);
      while (!accepting.isOpen() || !connecting.isOpen()) {
        readNothing(connecting);
        readNothing(accepting);
      }
      readNothing(connecting);
      assertEquals(2 * i, looks.get());
      disconnect();
      connect();
    }
  }

  @Test
  void looksAtTheCertificateOfWhoeverWouldResumeASession() throws Exception {
    for (int i = 1; i <= 3; i++) {
      shakeHands(TlsWire.accepting(ours, tls), new TlsPeer(peer, engine(true)));
      assertEquals(2 * i, looks.get());
      disconnect();
      connect();
    }
  }

  @Test
  void refusesAListenerThatResumesASession() throws Exception {
    TlsWire connecting = connecting(peer);
    shakeHands(connecting, new TlsPeer(ours, engine(false)));
    readNothing(connecting); // a ticket, too
    disconnect();
    connect();
    TlsWire again = connecting(peer);
    TlsPeer resuming = new TlsPeer(ours, engine(false));
    assertThrows(SSLHandshakeException.class, () -> shakeHands(again, resuming));
  }

  /// Of another listener that has the same context.
  @Test
  void refusesWhoResumesASessionOfSomebodyElse() throws Exception {
    TlsPeer asking = new TlsPeer(peer, engine(true));
    TlsPeer answering = new TlsPeer(ours, engine(false));
    while (!asking.isOpen() || !answering.isOpen()) {
      asking.step();
      answering.step();
    }
    asking.step();
    assertEquals(2, looks.get());
    disconnect();
    connect();
    TlsWire wire = TlsWire.accepting(ours, tls);
    TlsPeer resuming = new TlsPeer(peer, engine(true));
    SSLException why = assertThrows(SSLHandshakeException.class, () -> shakeHands(wire, resuming));
    assertTrue(why.getMessage().contains("resumes"), why.getMessage());
    assertEquals(2, looks.get());
  }
}
