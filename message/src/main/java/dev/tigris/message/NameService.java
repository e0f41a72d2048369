package dev.tigris.message;

import dev.tigris.net.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
  private final Path folder;

  /// The endpoints of this process. Who changes it, and tells the server, holds its lock: so the
  /// server hears of the changes in their order.
  private final Map<String, Registered> own = new ConcurrentHashMap<>();
  private final AtomicLong registrations = new AtomicLong();

  private final Thread thread;
  private volatile @Nullable NameServer server;

  /// The connection to the server, and what waits to be said over it once it has greeted.
  private volatile @Nullable NameConnection reached;

  private volatile @Nullable Outbox outbox;
  private @Nullable NameGateway gateway;
  private volatile String trouble = "";
  private volatile boolean isClosed;

  /// An endpoint of this process.
  ///
  /// @param number of the registration: answers have it
  /// @param result completes with an empty text, or why it was refused
  private record Registered(
      String number,
      long tag,
      List<Location> locations,
      AtomicBoolean waits,
      CompletableFuture<String> result) {}

  private NameService(Path folder) {
    this.folder = folder;
    this.thread = Thread.ofPlatform().daemon().name("tigris-names").start(this::run);
  }

  /// Opens the names of this user, in the runtime folder.
  ///
  /// @throws MessageException if the folder cannot be trusted
  public static NameService open() {
    return open(RuntimeFolder.find());
  }

  /// Opens the names in another folder, which only this user can enter; errors as for [#open()].
  public static NameService open(Path folder) {
    return new NameService(RuntimeFolder.require(folder).toAbsolutePath().normalize());
  }

  /// Answers look-ups of other machines, from now on. Each side shows a certificate that the other
  /// one trusts. Other machines look up, and cannot register. Without this, only processes of this
  /// machine find endpoints.
  ///
  /// @param address to listen at, such as "0.0.0.0:7401"
  /// @return the address with its port
  /// @throws MessageException if that is not possible
  /// @throws IllegalStateException if it listens already
  public synchronized String listen(String address, Tls tls) {
    if (gateway != null || isClosed) {
      throw new IllegalStateException(
          isClosed
              ? "the names are closed"
              : "the names are open to other machines already: close this NameService first");
    }
    NameGateway made = new NameGateway(this, address, tls, NameGateway.LONGEST);
    gateway = made;
    return made.address();
  }

  /// Looks an endpoint of another machine up.
  ///
  /// @param machine where a process answers look-ups ([#listen])
  /// @return where it can be reached; nowhere if it is not registered now
  /// @throws MessageException if the machine does not answer or is not trusted, or if the endpoint
  ///     has another tag
  public static List<Location> find(
      String machine, Tls tls, String name, long tag, Duration timeout) {
    NameConnection.requireField(name);
    HostAndPort at = HostAndPort.parse(machine);
    List<List<String>> lines;
    try {
      NameConnection connection = new NameConnection(TlsNameSocket.to(at, tls));
      lines = connection.ask(timeout, NameConnection.FIND, Long.toHexString(tag), name);
    } catch (IOException e) {
      throw new MessageException(
          "find '%s' at %s: %s: check the address, the certificates, and that a process there"
                  .formatted(name, machine, e.getMessage())
              + " has called NameService.listen",
          e);
    }
    boolean isHere = at.isLoopback();
    List<Location> reached = new ArrayList<>();
    for (Location each : NameConnection.locations(name, lines)) {
      String address = HostAndPort.reachable(each.address(), machine);
      HostAndPort its = HostAndPort.of(address);
      if (its == null || isHere || !its.isLoopback()) {
        reached.add(new Location(each.provider(), address));
      }
    }
    return reached;
  }

  /// Registers an endpoint until it is withdrawn, or this process ends. If another process has the
  /// name, this waits until that process has withdrawn it or has ended.
  ///
  /// @throws MessageException if another process keeps the name, or the name server does not answer
  ///     in time
  /// @throws IllegalArgumentException if a name or an address has a line break, or is too long
  public void register(String name, long tag, List<Location> locations, Duration timeout) {
    CompletableFuture<String> result = begin(name, tag, locations);
    try {
      String refusal = result.get(Math.max(1, Bundle.nanos(timeout)), TimeUnit.NANOSECONDS);
      requireRegistered(name, refusal);
    } catch (TimeoutException | ExecutionException e) {
      throw late(name);
    } catch (InterruptedException e) {
      withdraw(name);
      Thread.currentThread().interrupt();
      throw new MessageException("register '%s': interrupted".formatted(name), e);
    }
  }

  /// Throws if a registration was refused.
  void requireRegistered(String name, String refusal) {
    if (!refusal.isEmpty()) {
      withdraw(name);
      throw new MessageException("register '%s': %s".formatted(name, refusal), null);
    }
  }

  /// Gives up a registration that takes too long; returns the exception for that.
  MessageException late(String name) {
    Registered its = own.get(name);
    boolean isTaken = its != null && its.waits().get();
    withdraw(name);
    return new MessageException(
        isTaken
            ? "register '%s': another process has it: end that one, or choose another name"
                .formatted(name)
            : "register '%s': %s".formatted(name, silence()),
        null);
  }

  private String silence() {
    String process = "";
    try {
      process = Files.readString(folder.resolve("tigris-names.lock")).strip();
    } catch (IOException e) {
      // no process has served yet
    }
    return "the name server in %s does not answer%s%s"
        .formatted(
            folder,
            process.isEmpty() ? "" : ": look whether process " + process + " is stopped",
            trouble.isEmpty() ? "" : " (" + trouble + ")");
  }

  /// Begins to register an endpoint.
  ///
  /// @return completes with an empty text, or why it was refused
  CompletableFuture<String> begin(String name, long tag, List<Location> locations) {
    NameConnection.requireField(name);
    for (Location at : locations) {
      NameConnection.requireField(at.provider());
      NameConnection.requireField(at.address());
    }
    if (locations.isEmpty()) {
      throw new IllegalArgumentException("'%s' listens nowhere".formatted(name));
    }
    Registered made =
        new Registered(
            Long.toHexString(registrations.incrementAndGet()),
            tag,
            List.copyOf(locations),
            new AtomicBoolean(),
            new CompletableFuture<>());
    synchronized (own) {
      if (own.putIfAbsent(name, made) != null) {
        throw new IllegalArgumentException(
            "this process has registered '%s' already: withdraw it first".formatted(name));
      }
      Outbox open = outbox;
      if (open != null) { // if the server ends first, it is registered with the next one
        send(open, name, made);
      }
    }
    return made.result();
  }

  /// Withdraws an endpoint of this process; does nothing if it is not registered.
  public void withdraw(String name) {
    synchronized (own) {
      Outbox open = outbox;
      if (own.remove(name) != null && open != null) { // the next server does not know the name
        open.add(NameConnection.WITHDRAW, name);
      }
    }
  }

  /// Looks an endpoint up.
  ///
  /// @return where it can be reached; nowhere if it is not registered now
  /// @throws MessageException if the endpoint has another tag
  public List<Location> find(String name, long tag, Duration timeout) {
    return registered(name, tag, timeout).stream()
        .map(at -> new Location(at.provider(), HostAndPort.fromHere(at.address())))
        .toList();
  }

  /// Looks an endpoint up; returns where it listens, as it was registered.
  List<Location> registered(String name, long tag, Duration timeout) {
    NameConnection.requireField(name);
    try {
      NameConnection connection = NameConnection.to(socket());
      String hex = Long.toHexString(tag);
      return NameConnection.locations(
          name, connection.ask(timeout, NameConnection.FIND, hex, name));
    } catch (IOException e) {
      return List.of(); // another process is about to take over
    }
  }

  /// Whether this process serves the names of the machine now.
  public boolean isServing() {
    return server != null;
  }

  private Path socket() {
    return folder.resolve("tigris-names.socket");
  }

  private static void send(Outbox to, String name, Registered its) {
    for (Location at : its.locations()) {
      to.add(
          NameConnection.REGISTER,
          Long.toHexString(its.tag()),
          at.provider(),
          at.address(),
          its.number(),
          name);
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
        try (NameConnection made = NameConnection.to(socket())) {
          reached = made;
          made.greet();
          try (Outbox lines = new Outbox(made)) {
            synchronized (own) {
              outbox = lines;
              for (Map.Entry<String, Registered> each : own.entrySet()) {
                send(lines, each.getKey(), each.getValue());
              }
            }
            pause = FIRST_PAUSE_NANOS;
            trouble = "";
            for (List<String> line = made.next(); line != null; line = made.next()) {
              answered(line);
            }
          }
        } finally {
          outbox = null;
        }
        // Another process is about to listen, or has just ended. What an odd server or folder leads
        // to does not end the registrations either.
      } catch (IOException | RuntimeException e) {
        trouble = String.valueOf(e.getMessage());
        LockSupport.parkNanos(pause);
        pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
      }
    }
  }

  /// The name server has answered a registration, which may have been withdrawn since: the name may
  /// be registered anew.
  private void answered(List<String> line) {
    Registered its = line.size() < 3 ? null : own.get(line.get(1));
    if (its == null || !its.number().equals(line.get(2))) {
      return;
    }
    if (line.getFirst().equals(NameConnection.OK)) {
      its.waits().set(false);
      boolean _ = its.result().complete("");
    } else if (line.getFirst().equals(NameConnection.WAITING)) {
      its.waits().set(true);
      if (its.result().isDone()) {
        System.getLogger(NameService.class.getName())
            .log(
                System.Logger.Level.WARNING,
                "another process had the name {0} first when the name server changed",
                line.get(1));
      }
    } else if (line.getFirst().equals(NameConnection.REFUSED) && line.size() == 4) {
      if (!its.result().complete(line.get(3))) {
        System.getLogger(NameService.class.getName())
            .log(
                System.Logger.Level.WARNING,
                "the name {0} was lost when the server changed: {1}",
                line.get(1),
                line.get(3));
      }
    }
  }

  /// Withdraws all endpoints of this process; another process takes over, if this one has served.
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    synchronized (this) {
      isClosed = true;
      NameGateway its = gateway;
      if (its != null) {
        its.close();
      }
    }
    NameConnection open = reached;
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
  }
}
