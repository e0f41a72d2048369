package dev.tigris.message;

import dev.tigris.net.Fabric;
import dev.tigris.net.Tls;
import dev.tigris.net.provider.Provider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// Answers the look-ups of other machines, whose certificates it trusts. It asks the name server of
/// this machine for each, so that it need not be in that process. Other machines cannot register.
final class NameGateway implements AutoCloseable {
  /// The most connections, each of which has a thread and a limited time; others are closed.
  private static final int MOST_CONNECTIONS = 256;

  private static final long PAUSE_NANOS = 10_000_000;
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /// How long a connection may take, with the handshake. A stranger that sends a byte now and then
  /// must not keep its place.
  static final Duration LONGEST = Duration.ofSeconds(15);

  private final SSLServerSocket listener;
  private final NameService names;
  private final Duration longest;
  private final Set<NameConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /// @param longest how long a connection may take
  NameGateway(NameService names, String address, Tls tls, Duration longest) {
    this.names = names;
    this.longest = longest;
    try {
      this.listener = TlsNameSocket.listen(HostAndPort.parse(address), tls);
    } catch (IOException e) {
      throw new MessageException(
          "listen at %s for other machines: %s: name a free port, or 0 for any"
              .formatted(address, e.getMessage()),
          e);
    }
    Thread _ = Thread.ofPlatform().daemon().name("tigris-names-gateway").start(this::accept);
  }

  String address() {
    InetSocketAddress at = (InetSocketAddress) listener.getLocalSocketAddress();
    return new HostAndPort(at.getAddress().getHostAddress(), at.getPort()).toString();
  }

  private void accept() {
    while (!isClosed) {
      try {
        SSLSocket socket = (SSLSocket) listener.accept();
        if (connections.size() < MOST_CONNECTIONS) {
          NameConnection.Socket below = new TlsNameSocket(socket, null);
          NameConnection connection = new NameConnection(below);
          connections.add(connection);
          Thread _ =
              Thread.ofVirtual().name("tigris-names-tls").start(() -> serve(below, connection));
        } else {
          socket.close();
        }
      } catch (IOException e) {
        LockSupport.parkNanos(PAUSE_NANOS); // it is closed, or too many files are open
      }
    }
  }

  private void serve(NameConnection.Socket below, NameConnection connection) {
    Thread cutter = connection.closeAfter(longest);
    try (connection) {
      below.connect();
      if (connection.isGreeted()) {
        for (List<String> line = connection.next(); line != null; line = connection.next()) {
          if (!line.getFirst().equals(NameConnection.FIND) || line.size() != 3) {
            return; // other machines look up, and nothing else
          }
          connection.answer(find(line.get(2), Long.parseUnsignedLong(line.get(1), 16)));
        }
      }
    } catch (IOException | RuntimeException e) {
      System.getLogger(NameGateway.class.getName())
          .log(System.Logger.Level.DEBUG, "another machine was not served", e);
    } finally {
      cutter.interrupt();
      connections.remove(connection);
    }
  }

  private @Nullable List<NameService.Location> find(String name, long tag) {
    try {
      List<NameService.Location> reached =
          names.registered(name, tag, ANSWER).stream().filter(NameGateway::isReached).toList();
      return reached.isEmpty() ? null : reached;
    } catch (MessageException e) {
      return List.of(); // it has another tag
    }
  }

  /// Whether another machine can reach it.
  private static boolean isReached(NameService.Location at) {
    try {
      return Fabric.provider(at.provider()).kind() != Provider.Kind.MEMORY;
    } catch (IllegalArgumentException e) {
      return true; // this process does not have the provider
    }
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      listener.close();
    } catch (IOException e) {
      // it does not listen any more
    }
    connections.forEach(NameConnection::close);
  }
}
