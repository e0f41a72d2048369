package dev.tigris.cluster.run.host;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import jdk.net.ExtendedSocketOptions;

/// A connection of a coordinator to the worker of a host: TLS 1.3, both sides of which have shown
/// a key of one authority and the right role. The worker then sends 12 bytes, the word `TIGRIS-H`
/// and its version, and the coordinator answers with its own.
///
/// Thread rule: one thread reads; any thread sends and closes.
public final class HostLink implements AutoCloseable {
  private static final byte[] MAGIC = "TIGRIS-H".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;

  /// The kernel asks for a host that says nothing after this time, and so often, before it is gone.
  private static final int IDLE_SECONDS = 10;

  private static final int PROBES = 3;

  /// For how long, and how much, a refused peer may go on to send before it reads the reason.
  private static final int REFUSED_MILLIS = 1000;

  private static final int REFUSED_BYTES = 1 << 16;
  private static final int MOST_CAUSES = 16;

  /// What TLS calls the reasons of a refusal, and what they are here.
  private static final Map<String, String> ALERTS =
      Map.of(
          "certificate_expired", "the key has expired, by the clock of that host",
          "certificate_revoked", "the key is revoked",
          "bad_certificate", "the key is not valid yet, by the clock of that host",
          "certificate_unknown",
              "the key is revoked, not valid by the clock there, or not a coordinator's (the worker"
                  + " has printed which)",
          "unknown_ca", "the key is of another authority",
          "certificate_required", "no key was shown");

  /// What TLS goes over. It alone is closed: TLS would wait for a peer that reads nothing.
  private final Socket plain;

  private final SSLSocket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final String peer;

  private HostLink(Socket plain, SSLSocket socket, String peer) throws IOException {
    this.plain = plain;
    this.socket = socket;
    this.peer = peer;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }

  /// Connects to the worker of a host.
  ///
  /// @throws IOException if that is not possible, with the reason
  public static HostLink connect(HostAddress address, HostKey key, Duration timeout)
      throws IOException {
    Socket plain = new Socket();
    try {
      int millis = (int) timeout.toMillis();
      plain.connect(new InetSocketAddress(address.host(), address.port()), millis);
      SSLSocket socket = secure(plain, address, key, true);
      socket.setSoTimeout(millis);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the rules for names, of RFC 2818
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      HostLink link = new HostLink(plain, socket, address.toString());
      link.hear(); // first, since a worker that refuses the key says so and closes
      link.greet();
      socket.setSoTimeout(0);
      return link;
    } catch (IOException e) {
      plain.close();
      throw new IOException(
          "the worker at %s cannot be used: %s".formatted(address, why(e, key)), e);
    } catch (RuntimeException e) {
      plain.close();
      throw e;
    }
  }

  private static String why(IOException failure, HostKey key) {
    if (failure instanceof SocketTimeoutException) {
      return "it does not answer: does its host run, and let this port in?";
    }
    if (failure instanceof EOFException) {
      return "it has closed the connection: is it a 'tigris worker'?";
    }
    if (failure instanceof ConnectException) {
      return "no process listens there: start 'tigris worker' on that host";
    }
    if (failure instanceof UnknownHostException) {
      return "no host has that name";
    }
    String text = trustFailure(failure);
    for (Map.Entry<String, String> alert : ALERTS.entrySet()) {
      if (text.contains("fatal alert: " + alert.getKey())) {
        return "it refuses %s: %s".formatted(key.file(), alert.getValue());
      }
    }
    return text;
  }

  /// Returns what went wrong, which a failure to trust hides in its causes.
  static String trustFailure(IOException failure) {
    Throwable found = failure;
    Throwable each = failure;
    for (int i = 0; each != null && i < MOST_CAUSES; i++) {
      found = each instanceof CertificateException ? each : found;
      each = each.getCause();
    }
    return String.valueOf(found.getMessage());
  }

  /// Takes a connection that has come. The caller closes the socket if this throws, or takes too
  /// long.
  ///
  /// @throws IOException if the peer is not a coordinator of this authority, with the reason
  public static HostLink accept(Socket plain, HostKey key) throws IOException {
    InetAddress from = plain.getInetAddress();
    HostAddress address = new HostAddress(from.getHostAddress(), plain.getPort());
    SSLSocket socket = secure(plain, address, key, false);
    try {
      socket.startHandshake();
      HostLink link = new HostLink(plain, socket, address.toString());
      link.refuse(key);
      link.greet();
      link.hear();
      return link;
    } catch (SSLException e) {
      letRead(plain);
      throw new IOException(trustFailure(e), e);
    }
  }

  /// Lets a peer read the alert that was sent to it: if this end closed while bytes of that one are
  /// on their way, the peer would see a broken connection alone.
  private static void letRead(Socket refused) {
    try {
      refused.shutdownOutput();
      refused.setSoTimeout(REFUSED_MILLIS);
      byte[] _ = refused.getInputStream().readNBytes(REFUSED_BYTES);
    } catch (IOException e) {
      // it does not want to know
    }
  }

  /// Looks at the certificates once more: a session that was resumed has not.
  private void refuse(HostKey key) throws IOException {
    Certificate[] shown = socket.getSession().getPeerCertificates();
    try {
      key.trust(key.role().opposite())
          .refuse(Arrays.copyOf(shown, shown.length, X509Certificate[].class));
    } catch (CertificateException e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }

  private static SSLSocket secure(Socket plain, HostAddress address, HostKey key, boolean connects)
      throws IOException {
    plain.setTcpNoDelay(true);
    plain.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    if (plain.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
      plain.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
      plain.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, IDLE_SECONDS / 2);
      plain.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }
    var factory = key.context(key.role().opposite()).getSocketFactory();
    SSLSocket socket =
        (SSLSocket) factory.createSocket(plain, address.host(), address.port(), false);
    socket.setUseClientMode(connects);
    socket.setEnabledProtocols(new String[] {"TLSv1.3"});
    if (!connects) {
      socket.setNeedClientAuth(true);
    }
    return socket;
  }

  private void greet() throws IOException {
    out.write(MAGIC);
    out.writeInt(VERSION);
    out.flush();
  }

  private void hear() throws IOException {
    byte[] magic = in.readNBytes(MAGIC.length);
    if (magic.length < MAGIC.length) {
      throw new EOFException("the connection was closed");
    }
    if (!Arrays.equals(magic, MAGIC)) {
      throw new IOException("it does not speak the protocol of runs");
    }
    int version = in.readInt();
    if (version != VERSION) {
      throw new IOException(
          "it speaks version %d of the protocol of hosts, and this process version %d: run one release everywhere"
              .formatted(version, VERSION));
    }
  }

  /// Sends a message.
  public void send(HostMessage.Kind kind, int id, List<String> texts) throws IOException {
    synchronized (out) {
      new HostMessage(kind, id, texts).write(out);
    }
  }

  /// Waits for the next message.
  ///
  /// @throws IOException if it is none, or the connection has ended
  public HostMessage receive() throws IOException {
    return HostMessage.read(in);
  }

  /// Returns where the other end is, `HOST:PORT`.
  public String peer() {
    return peer;
  }

  /// Returns the host of the other end.
  public String peerHost() {
    return socket.getInetAddress().getHostAddress();
  }

  /// Returns this host's address, as the other end reaches it.
  public String localHost() {
    String address = socket.getLocalAddress().getHostAddress();
    int scope = address.indexOf('%');
    return scope < 0 ? address : address.substring(0, scope);
  }

  @Override
  public void close() {
    try {
      plain.close();
    } catch (IOException e) {
      // it is of no use any more
    }
  }
}
