package dev.tigris.bench.runs;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// A client of HTTP that does the least that one has to do: it sends one request after the other on
/// one connection. So the server is what is measured.
final class PlainClient implements AutoCloseable {
  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final String authority;
  private final String token;

  PlainClient(URI address, String token) throws IOException {
    this.socket = new Socket(InetAddress.getByName(address.getHost()), address.getPort());
    socket.setTcpNoDelay(true);
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    this.out = socket.getOutputStream();
    this.authority = address.getAuthority();
    this.token = token;
  }

  /// Returns the body of an answer, which has to be a good one.
  byte[] get(String path) throws IOException {
    String request =
        "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(path, authority, token);
    out.write(request.getBytes(StandardCharsets.US_ASCII));
    String status = line();
    if (!status.startsWith("HTTP/1.1 200")) {
      throw new IOException("the server says " + status);
    }
    int length = -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("in an answer");
    }
    return body;
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
      if (next != '\r') {
        text.append((char) next);
      }
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
