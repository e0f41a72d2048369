package dev.tigris.message;

import dev.tigris.net.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// A socket with TLS between two machines: each side shows a certificate that the other one trusts.
///
/// @param socket below
/// @param server where the other machine listens; null if the socket is connected
record TlsNameSocket(SSLSocket socket, @Nullable InetSocketAddress server)
    implements NameConnection.Socket {
  private static final int IDLE_MILLIS = 10_000;
  private static final int BACKLOG = 64;

  static TlsNameSocket to(HostAndPort machine, Tls tls) throws IOException {
    InetSocketAddress server = machine.socketAddress();
    SSLSocket socket = (SSLSocket) tls.context().getSocketFactory().createSocket();
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {Tls.PROTOCOL});
    if (tls.checksHost()) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    socket.setSSLParameters(parameters);
    return new TlsNameSocket(socket, server);
  }

  /// Listens for other machines.
  static SSLServerSocket listen(HostAndPort at, Tls tls) throws IOException {
    SSLServerSocket socket =
        (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket();
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {Tls.PROTOCOL});
    parameters.setNeedClientAuth(true);
    socket.setSSLParameters(parameters);
    socket.bind(at.socketAddress(), BACKLOG);
    return socket;
  }

  @Override
  public void connect() throws IOException {
    if (server != null) {
      if (server.isUnresolved()) {
        throw new IOException("no host has the name " + server.getHostString());
      }
      socket.connect(server, IDLE_MILLIS);
    }
    socket.setSoTimeout(IDLE_MILLIS); // a machine that sends half a line is not waited for
    socket.startHandshake();
  }

  @Override
  public int read(byte[] to, int at, int length) throws IOException {
    return socket.getInputStream().read(to, at, length);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
