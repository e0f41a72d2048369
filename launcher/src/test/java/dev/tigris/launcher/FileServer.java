package dev.tigris.launcher;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// An HTTP server of this process that has a few files, and may cut an answer short.
final class FileServer implements AutoCloseable {
  private final HttpServer server;
  private final Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile String cut = "";

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
            boolean isCut = exchange.getRequestURI().getPath().equals(cut);
            exchange.getResponseBody().write(file, 0, isCut ? file.length / 2 : file.length);
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

  /// The paths and queries that were asked for.
  List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
