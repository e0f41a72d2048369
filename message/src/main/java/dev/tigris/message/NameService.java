package dev.tigris.message;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The names of the endpoints of this user on this machine. Every process that uses names opens it.
/// One of these processes serves the others: a lock in the user's runtime folder decides which. If
/// that process ends, another one takes over, and all processes register their endpoints again.
///
/// ```text
///   process A             process B (has the lock)           process C
///   NameService ---+---- NameServer: name -> addresses ----+ NameService
///                  |  register, hold until the end         |
///                  +---------- tigris-names.socket --------+  look up
/// ```
///
/// The server accepts processes of this user only, by the kernel's word. An endpoint is told only
/// to processes that know its tag.
///
/// Thread rule: any thread.
public final class NameService implements AutoCloseable {
  /// Where an endpoint can be reached.
  ///
  /// @param provider such as "tcp"
  /// @param address where its bundle listens over that
  public record Location(String provider, String address) {}

  private static final long FIRST_PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_PAUSE_NANOS = 100_000_000;
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /// The folders that are in use in this process. A lock of a file belongs to the process, and ends
  /// when the process closes any of its channels of that file: so there is one channel.
  private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final Map<String, Registered> own = new ConcurrentHashMap<>();
  private final Thread thread;
  private volatile @Nullable NameServer server;
  private volatile @Nullable NameConnection connection;
  private volatile String trouble = "";
  private volatile boolean isClosed;

  /// An endpoint of this process.
  ///
  /// @param result completes with an empty text, or why it was refused
  private record Registered(long tag, List<Location> locations, CompletableFuture<String> result) {}

  private NameService(Path folder) {
    this.folder = folder;
    this.thread = Thread.ofPlatform().daemon().name("tigris-names").start(this::run);
  }

  /// Opens the names of this user, in the runtime folder.
  ///
  /// @throws MessageException if the folder cannot be trusted
  /// @throws IllegalStateException if this process has opened them already
  public static NameService open() {
    return open(RuntimeFolder.find());
  }

  /// Opens the names in another folder, which only this user can enter; errors as for [#open()].
  public static NameService open(Path folder) {
    Path real = RuntimeFolder.require(folder).toAbsolutePath().normalize();
    if (!IN_USE.add(real)) {
      throw new IllegalStateException(
          "the names in %s are open in this process: share that NameService".formatted(real));
    }
    return new NameService(real);
  }

  /// Registers an endpoint until it is withdrawn, or this process ends.
  ///
  /// @throws MessageException if another process has the name, or the name server does not answer
  /// @throws IllegalArgumentException if a name or an address has a line break, or is too long
  public void register(String name, long tag, List<Location> locations) {
    NameConnection.requireField(name);
    for (Location at : locations) {
      NameConnection.requireField(at.provider());
      NameConnection.requireField(at.address());
    }
    if (locations.isEmpty()) {
      throw new IllegalArgumentException("'%s' listens nowhere".formatted(name));
    }
    Registered made = new Registered(tag, List.copyOf(locations), new CompletableFuture<>());
    if (own.putIfAbsent(name, made) != null) {
      throw new IllegalArgumentException(
          "this process has registered '%s' already: withdraw it first".formatted(name));
    }
    NameConnection open = connection;
    try {
      if (open != null) {
        send(open, name, made);
      }
    } catch (IOException e) {
      // the server has ended: it is registered with the next one
    }
    try {
      String refusal = made.result().get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
      if (!refusal.isEmpty()) {
        own.remove(name, made);
        throw new MessageException("register '%s': %s".formatted(name, refusal), null);
      }
    } catch (TimeoutException | ExecutionException e) {
      own.remove(name, made);
      throw new MessageException(
          "register '%s': the name server in %s does not answer, %s"
              .formatted(name, folder, trouble),
          e);
    } catch (InterruptedException e) {
      own.remove(name, made);
      Thread.currentThread().interrupt();
      throw new MessageException("register '%s': interrupted".formatted(name), e);
    }
  }

  /// Withdraws an endpoint of this process; does nothing if it is not registered.
  public void withdraw(String name) {
    NameConnection open = connection;
    try {
      if (own.remove(name) != null && open != null) {
        open.say(NameConnection.WITHDRAW, name);
      }
    } catch (IOException e) {
      // the server has ended, and the next one does not know the name
    }
  }

  /// Looks an endpoint up.
  ///
  /// @return where it can be reached; nowhere if it is not registered now
  /// @throws MessageException if the endpoint has another tag
  public List<Location> find(String name, long tag, Duration timeout) {
    NameConnection.requireField(name);
    List<Location> found = new ArrayList<>();
    String hex = Long.toHexString(tag);
    for (List<String> line :
        NameConnection.ask(socket(), timeout, NameConnection.FIND, hex, name)) {
      if (line.getFirst().equals(NameConnection.WRONG_TAG)) {
        throw new MessageException("find '%s': the endpoint has another tag".formatted(name), null);
      }
      if (line.getFirst().equals(NameConnection.AT) && line.size() == 3) {
        found.add(new Location(line.get(1), line.get(2)));
      }
    }
    return found;
  }

  /// Whether this process serves the names of the machine now.
  public boolean isServing() {
    return server != null;
  }

  private Path socket() {
    return folder.resolve("tigris-names.socket");
  }

  private static void send(NameConnection to, String name, Registered its) throws IOException {
    for (Location at : its.locations()) {
      to.say(
          NameConnection.REGISTER, Long.toHexString(its.tag()), at.provider(), at.address(), name);
    }
  }

  // ---- the thread that keeps the registrations with whichever process serves

  private void run() {
    long pause = FIRST_PAUSE_NANOS;
    while (!isClosed) {
      try {
        if (server == null) {
          server = NameServer.tryToServe(folder.resolve("tigris-names.lock"), socket());
        }
        try (NameConnection made = NameConnection.open(socket())) {
          connection = made;
          for (Map.Entry<String, Registered> each : own.entrySet()) {
            send(made, each.getKey(), each.getValue());
          }
          pause = FIRST_PAUSE_NANOS;
          for (List<String> line = made.next(); line != null; line = made.next()) {
            answered(line);
          }
        } finally {
          connection = null;
        }
      } catch (IOException e) { // another process is about to listen, or has just ended
        trouble = String.valueOf(e.getMessage());
        LockSupport.parkNanos(pause);
        pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
      }
    }
  }

  /// The name server has answered a registration.
  private void answered(List<String> line) {
    Registered its = line.size() < 2 ? null : own.get(line.get(1));
    if (its == null) {
      return;
    }
    if (line.getFirst().equals(NameConnection.OK)) {
      boolean _ = its.result().complete("");
    } else if (line.getFirst().equals(NameConnection.REFUSED) && line.size() == 3) {
      if (!its.result().complete(line.get(2))) {
        System.getLogger(NameService.class.getName())
            .log(
                System.Logger.Level.WARNING,
                "the name {0} was lost when the server changed: {1}",
                line.get(1),
                line.get(2));
      }
    }
  }

  /// Withdraws all endpoints of this process; another process takes over, if this one has served.
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    NameConnection open = connection;
    if (open != null) {
      open.close();
    }
    thread.interrupt(); // it may wait for a server that has stopped
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    NameServer served = server;
    if (served != null) {
      server = null;
      served.close();
    }
    IN_USE.remove(folder);
  }
}
