package dev.tigris.launcher;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// An HTTP server of this process that has a few files, and may cut an answer short.
final class FileServer implements AutoCloseable {
  private final HttpServer server;
  private final Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile String cut = "";
  private volatile String stalled = "";
  private final CountDownLatch closing = new CountDownLatch(1);

  FileServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestURI().toString());
          byte[] file = files.get(exchange.getRequestURI().getPath());
          if (file == null) {
            exchange.sendResponseHeaders(404, -1);
          } else {
            exchange.sendResponseHeaders(200, file.length);
            String path = exchange.getRequestURI().getPath();
            boolean isShort = path.equals(cut) || path.equals(stalled);
            exchange.getResponseBody().write(file, 0, isShort ? file.length / 2 : file.length);
            if (path.equals(stalled)) {
              exchange.getResponseBody().flush();
              awaitClose();
            }
          }
          exchange.close();
        });
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void put(String path, byte[] file) {
    files.put(path, file);
  }

  /// Ends the connection in the middle of this file from now on.
  void cut(String path) {
    cut = path;
  }

  /// Sends nothing more in the middle of this file from now on, and keeps the connection.
  void stall(String path) {
    stalled = path;
  }

  private void awaitClose() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The paths and queries that were asked for.
  List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
  }
}
