package dev.tigris.message;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Serves the names of a user's processes, as long as it has the lock. A virtual thread serves each
/// connection; a process that reads or writes slowly keeps no other one waiting.
final class NameServer implements AutoCloseable {
  /// The most connections; others are refused.
  private static final int MOST_CONNECTIONS = 4096;

  private static final long PAUSE_NANOS = 10_000_000;

  private final FileChannel lockFile;
  private final ServerSocketChannel listener;
  private final UserPrincipal user;
  private final NameRegistry registry = new NameRegistry();
  private final Set<NameConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  private NameServer(FileChannel lockFile, ServerSocketChannel listener, UserPrincipal user) {
    this.lockFile = lockFile;
    this.listener = listener;
    this.user = user;
    Thread _ = Thread.ofPlatform().daemon().name("tigris-names-server").start(this::accept);
  }

  /// Serves if no other process does.
  ///
  /// @param lock the file whose lock decides; it is never deleted, since processes that have
  ///     different files of the same name would all serve
  /// @param socket where it listens; a file of this name is left from a process that was killed
  /// @return null if another process serves
  static @Nullable NameServer tryToServe(Path lock, Path socket) throws IOException {
    FileChannel lockFile =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    ServerSocketChannel listener = null;
    try {
      FileLock got = lockFile.tryLock();
      if (got == null) {
        lockFile.close();
        return null;
      }
      boolean _ = Files.deleteIfExists(socket);
      listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      ServerSocketChannel _ = listener.bind(UnixDomainSocketAddress.of(socket));
      return new NameServer(lockFile, listener, Files.getOwner(lock));
    } catch (IOException | RuntimeException e) {
      if (listener != null) {
        listener.close();
      }
      lockFile.close();
      throw e;
    }
  }

  private void accept() {
    while (!isClosed) {
      try {
        SocketChannel channel = listener.accept();
        boolean isUser = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(user);
        if (isUser && connections.size() < MOST_CONNECTIONS) {
          NameConnection connection = new NameConnection(channel);
          connections.add(connection);
          Thread _ = Thread.ofVirtual().name("tigris-names").start(() -> serve(connection));
        } else {
          channel.close();
        }
      } catch (IOException e) {
        LockSupport.parkNanos(PAUSE_NANOS); // it is closed, or too many files are open
      }
    }
  }

  private void serve(NameConnection connection) {
    try (connection) {
      if (!greet(connection)) {
        return;
      }
      for (List<String> line = connection.next(); line != null; line = connection.next()) {
        answer(connection, line);
      }
    } catch (IOException | IllegalArgumentException e) {
      System.getLogger(NameServer.class.getName())
          .log(System.Logger.Level.DEBUG, "a process has left the name server", e);
    } finally {
      registry.withdrawAll(connection);
      connections.remove(connection);
    }
  }

  private static boolean greet(NameConnection connection) throws IOException {
    List<String> hello = connection.next();
    if (hello == null || hello.size() < 3 || !hello.getFirst().equals(NameConnection.HELLO)) {
      return false;
    }
    int common = Math.min(Integer.parseInt(hello.get(2)), NameConnection.HIGHEST_VERSION);
    if (common < Math.max(Integer.parseInt(hello.get(1)), NameConnection.LOWEST_VERSION)) {
      connection.say(
          NameConnection.REFUSED,
          "" + NameConnection.LOWEST_VERSION,
          "" + NameConnection.HIGHEST_VERSION);
      return false;
    }
    connection.say(NameConnection.WELCOME, "" + common);
    return true;
  }

  /// Answers a line. One that is malformed ends the connection, by the exception.
  private void answer(NameConnection connection, List<String> line) throws IOException {
    String verb = line.getFirst();
    if (verb.equals(NameConnection.REGISTER) && line.size() == 5) {
      String name = line.get(4);
      long tag = Long.parseUnsignedLong(line.get(1), 16);
      String why =
          registry.register(
              connection, name, tag, new NameService.Location(line.get(2), line.get(3)));
      if (why == null) {
        connection.say(NameConnection.OK, name);
      } else {
        connection.say(NameConnection.REFUSED, name, why);
      }
    } else if (verb.equals(NameConnection.WITHDRAW) && line.size() == 2) {
      registry.withdraw(connection, line.get(1));
    } else if (verb.equals(NameConnection.FIND) && line.size() == 3) {
      List<NameService.Location> found =
          registry.find(line.get(2), Long.parseUnsignedLong(line.get(1), 16));
      if (found == null) {
        connection.say(NameConnection.ABSENT);
      } else if (found.isEmpty()) {
        connection.say(NameConnection.WRONG_TAG);
      } else {
        for (NameService.Location each : found) {
          connection.say(NameConnection.AT, each.provider(), each.address());
        }
        connection.say(NameConnection.END);
      }
    } else {
      throw new IllegalArgumentException("a line that is none: " + line);
    }
  }

  /// Lets another process serve: gives the lock up first, so that those whose connections end can
  /// have it.
  @Override
  public void close() {
    isClosed = true;
    try {
      listener.close();
      lockFile.close();
    } catch (IOException e) {
      // the process has neither any more
    }
    connections.forEach(NameConnection::close);
  }
}
