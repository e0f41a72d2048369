package dev.tigris.message;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.OpenFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /// How many processes may wait for their connection while this process is stopped.
  private static final int BACKLOG = 256;

  private static final long PAUSE_NANOS = 10_000_000;

  private final OpenFile lock;
  private final ServerSocketChannel listener;
  private final UserPrincipal user;
  private final NameRegistry registry = new NameRegistry();
  private final Set<NameConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  private NameServer(OpenFile lock, ServerSocketChannel listener, UserPrincipal user) {
    this.lock = lock;
    this.listener = listener;
    this.user = user;
    Thread _ = Thread.ofPlatform().daemon().name("tigris-names-server").start(this::accept);
  }

  /// Serves if no other process does.
  ///
  /// @param lock the file whose lock decides, with the number of the process that has it; it is
  ///     never deleted, since processes that have different files of the same name would all serve
  /// @param socket where it listens; a file of this name is left from a process that was killed
  /// @return null if another process serves
  static @Nullable NameServer tryToServe(Path lock, Path socket) throws IOException {
    if (!Files.exists(lock)) {
      create(lock);
    }
    OpenFile held = new OpenFile(FileDescriptors.open(lock, true));
    ServerSocketChannel listener = null;
    boolean serves = false;
    try {
      if (!FileDescriptors.lock(held.number(), false)) {
        return null;
      }
      Path _ = Files.writeString(lock, ProcessHandle.current().pid() + "\n");
      boolean _ = Files.deleteIfExists(socket);
      listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      ServerSocketChannel _ = listener.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
      NameServer made = new NameServer(held, listener, Files.getOwner(lock));
      serves = true;
      return made;
    } finally {
      if (!serves) {
        held.close();
        if (listener != null) {
          listener.close();
        }
      }
    }
  }

  private static void create(Path lock) throws IOException {
    try {
      Path _ = Files.createFile(lock);
    } catch (FileAlreadyExistsException e) {
      // another process has made it at the same time
    }
  }

  private void accept() {
    while (!isClosed) {
      try {
        SocketChannel channel = listener.accept();
        boolean isUser = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(user);
        if (isUser && connections.size() < MOST_CONNECTIONS) {
          NameConnection connection = new NameConnection(new UnixNameSocket(channel, null));
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
      if (connection.isGreeted()) {
        for (List<String> line = connection.next(); line != null; line = connection.next()) {
          answer(connection, line);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      System.getLogger(NameServer.class.getName())
          .log(System.Logger.Level.DEBUG, "a process has left the name server", e);
    } finally {
      registry.withdrawAll(connection).forEach(NameServer::tell);
      connections.remove(connection);
    }
  }

  /// Tells a process that it has a name now. The process may be stopped, and not read: a thread of
  /// its own waits for it.
  private static void tell(NameRegistry.Granted granted) {
    Thread _ =
        Thread.ofVirtual()
            .name("tigris-names-tell")
            .start(
                () -> {
                  try {
                    ((NameConnection) granted.owner())
                        .say(NameConnection.OK, granted.name(), granted.registration());
                  } catch (IOException e) {
                    // it has ended: its own thread withdraws its names
                  }
                });
  }

  /// Answers a line. One that is malformed ends the connection, by the exception.
  private void answer(NameConnection connection, List<String> line) throws IOException {
    String verb = line.getFirst();
    if (verb.equals(NameConnection.REGISTER) && line.size() == 6) {
      String name = line.get(5);
      String registration = line.get(4);
      long tag = Long.parseUnsignedLong(line.get(1), 16);
      NameService.Location at = new NameService.Location(line.get(2), line.get(3));
      connection.beginAnswer(); // "waiting" comes before the "ok" that another thread says
      try {
        switch (registry.register(connection, registration, name, tag, at)) {
          case GRANTED -> connection.say(NameConnection.OK, name, registration);
          case WAITS -> connection.say(NameConnection.WAITING, name, registration);
          case TOO_MANY ->
              connection.say(
                  NameConnection.REFUSED,
                  name,
                  registration,
                  "the process has %d names already".formatted(NameRegistry.MOST_NAMES));
          case OTHER_TAG ->
              connection.say(
                  NameConnection.REFUSED, name, registration, "it is registered with another tag");
        }
      } finally {
        connection.endAnswer();
      }
    } else if (verb.equals(NameConnection.WITHDRAW) && line.size() == 2) {
      NameRegistry.Granted next = registry.withdraw(connection, line.get(1));
      if (next != null) {
        tell(next);
      }
    } else if (verb.equals(NameConnection.FIND) && line.size() == 3) {
      connection.answer(registry.find(line.get(2), Long.parseUnsignedLong(line.get(1), 16)));
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
      lock.close();
    } catch (IOException e) {
      // the process has neither any more
    }
    connections.forEach(NameConnection::close);
  }
}
