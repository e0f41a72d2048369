package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.host.TlsKey;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// The other end of a connection, where TLS is spoken by the JDK's engine and by what a test wants.
final class TlsPeer {
  final SSLEngine engine;
  final ByteBuffer toSend = ByteBuffer.allocate(1 << 20);

  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocate(1 << 16).flip();
  private final ByteBuffer plain = ByteBuffer.allocate(1 << 16);

  /// @param channel does not block
  TlsPeer(SocketChannel channel, SSLEngine engine) throws Exception {
    this.channel = channel;
    this.engine = engine;
    engine.beginHandshake();
  }

  boolean isOpen() {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  /// One step of the handshake, or takes a record. Ends the test that waits for too long by that.
  void step() throws Exception {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> engine.getDelegatedTask().run();
      case NEED_WRAP -> {
        engine.wrap(ByteBuffer.allocate(0), toSend);
        send();
      }
      default -> {
        received.compact();
        channel.read(received);
        received.flip();
        engine.unwrap(received, plain.clear());
      }
    }
  }

  /// Whether the next step has something to do.
  boolean hasReceived() throws Exception {
    return received.hasRemaining()
        || engine.getHandshakeStatus() != HandshakeStatus.NEED_UNWRAP
        || channel.socket().getInputStream().available() > 0;
  }

  void send() throws Exception {
    toSend.flip();
    channel.write(toSend);
    toSend.compact();
  }

  /// Asks for new keys, without sending it: as often as one likes.
  void askForKeys() throws Exception {
    engine.beginHandshake();
    assertEquals(HandshakeStatus.NEED_WRAP, engine.getHandshakeStatus());
    engine.wrap(ByteBuffer.allocate(0), toSend);
  }

  /// Says something, without sending it.
  void say(ByteBuffer message) throws Exception {
    engine.wrap(message, toSend);
  }

  /// Makes the key of one who is this host. That takes a process.
  static TlsKey key(Path folder) throws Exception {
    return TlsKey.make(folder, "self", "san=ip:127.0.0.1");
  }

  /// Somebody who trusts nobody but himself, and counts how often he looks at a certificate.
  static SSLContext context(TlsKey self, AtomicInteger looks) throws Exception {
    var trusted = (X509ExtendedTrustManager) TlsKey.trusting(self)[0];
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(self.keys(), new TrustManager[] {new Counting(trusted, looks)}, null);
    return context;
  }

  private static final class Counting extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager trusted;
    private final AtomicInteger looks;

    Counting(X509ExtendedTrustManager trusted, AtomicInteger looks) {
      this.trusted = trusted;
      this.looks = looks;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      looks.incrementAndGet();
      trusted.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      looks.incrementAndGet();
      trusted.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw new AssertionError("there are engines only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw new AssertionError("there are engines only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      throw new AssertionError("there are engines only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      throw new AssertionError("there are engines only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return trusted.getAcceptedIssuers();
    }
  }
}
