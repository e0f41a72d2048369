package dev.tigris.message;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A way to a server over which what a client writes arrives byte by byte, as a test lets it pass.
/// The answers pass at once.
final class ByteByByte implements AutoCloseable {
  private final ServerSocket listening;
  private final int port;
  private final LinkedBlockingQueue<Written> written = new LinkedBlockingQueue<>();
  private final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

  /// A byte for a server; -1 for the end.
  private record Written(Socket to, int value) {}

  /// @param port of the server, on this host
  ByteByByte(int port) throws IOException {
    this.port = port;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread _ = Thread.ofVirtual().start(this::accept);
  }

  /// Where it listens.
  String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket from = listening.accept();
        Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
        to.setTcpNoDelay(true);
        open.add(from);
        open.add(to);
        Thread _ = Thread.ofVirtual().start(() -> answer(to, from));
        Thread _ = Thread.ofVirtual().start(() -> read(from, to));
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  private void read(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        written.add(new Written(to, next));
      }
    } catch (IOException e) {
      // its client has broken it off
    }
    written.add(new Written(to, -1));
  }

  private static void answer(Socket from, Socket to) {
    try (from;
        to) {
      long _ = from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // one of them has ended
    }
  }

  /// Passes a byte on; returns false if none is there for a moment.
  boolean passOne() throws InterruptedException {
    Written next = written.poll(1, TimeUnit.MILLISECONDS);
    if (next == null) {
      return false;
    }
    try {
      if (next.value() < 0) {
        next.to().close();
      } else {
        next.to().getOutputStream().write(next.value());
      }
    } catch (IOException e) {
      // the server has ended it: a client gave up connecting
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket each : open) {
      each.close();
    }
  }
}
