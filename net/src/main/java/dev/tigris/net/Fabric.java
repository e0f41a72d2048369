package dev.tigris.net;

import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.os.CheckReturnValue;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/// One provider, opened: what makes listeners, completion queues and connections.
///
/// Thread rule: any thread. What it makes belongs to the thread that made it.
public final class Fabric implements AutoCloseable {
  /// A host in a name or of IPv4 and a port, or one of IPv6 in brackets and a port.
  private static final Pattern WITH_PORT = Pattern.compile("[^:]*:[^:]*|\\[.*\\]:.*");

  private static final String NAME_A_HOST = "name a host: \"localhost\" for this one";
  private static final System.Logger LOG = System.getLogger(Fabric.class.getName());

  private final String provider;
  private final Carrier carrier;
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private Fabric(String provider, Carrier carrier) {
    this.provider = provider;
    this.carrier = carrier;
  }

  /// Opens a provider by its name.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  /// @throws NetException if it cannot be used here, with the reason
  public static Fabric open(String provider) {
    return open(provider(provider));
  }

  /// Opens a provider that need not be one that [java.util.ServiceLoader] finds.
  ///
  /// @throws NetException if it cannot be used here, with the reason
  public static Fabric open(Provider provider) {
    return new Fabric(provider.name(), provider.open());
  }

  /// Returns the provider of a name, for a program that wraps it in one of its own.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  public static Provider provider(String name) {
    return Providers.load().named(name);
  }

  /// Opens a provider whose connections are encrypted and authenticated.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  /// @throws NetException if it has no TLS, or cannot be used here, with the reason
  public static Fabric openTls(String provider, Tls tls) {
    Objects.requireNonNull(tls); // which would be none
    Provider named = provider(provider);
    return new Fabric(named.name() + " with TLS", named.open(tls));
  }

  /// A provider, and what keeps it from being used.
  ///
  /// @param name under which [#open(String)] opens it; of a class that could not be loaded, the
  ///     name of that
  /// @param implementation the name of its class
  /// @param obstacle why it cannot be used, and what would have to change; empty if it can
  public record Candidate(String name, String implementation, Optional<String> obstacle) {}

  /// Returns all providers in the order in which [#best] tries them, each with what keeps it from
  /// reaching a host. Nothing is sent to the host. A provider that could not be loaded, and one
  /// whose name another provider has, follow at the end.
  ///
  /// @throws IllegalArgumentException if the host has no name, or a port
  public static List<Candidate> candidates(String host) {
    if (host.isBlank()) { // which the JDK takes for this one
      throw new IllegalArgumentException(NAME_A_HOST);
    }
    if (WITH_PORT.matcher(host).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no host: leave out the port, which Fabric.connect is for".formatted(host));
    }
    return Providers.load().candidates(host);
  }

  /// Opens the first provider that can reach a host, and says in the log which it is, and why none
  /// before it. Memory comes before devices, and devices before sockets ([Provider.Kind]); which
  /// sockets are the faster ones depends on the program.
  ///
  /// @throws IllegalArgumentException if the host has no name, or a port
  public static Fabric best(String host) {
    Objects.requireNonNull(host, NAME_A_HOST);
    List<String> reasons = new ArrayList<>();
    for (Candidate candidate : candidates(host)) {
      String why = candidate.obstacle().orElse("");
      if (candidate.obstacle().isEmpty()) {
        try {
          Fabric opened = open(candidate.name());
          LOG.log(
              System.Logger.Level.INFO,
              "messages to {0} are carried by {1}{2}",
              host,
              candidate.name(),
              String.join("", reasons));
          return opened;
        } catch (NetException e) { // what was there when it was asked may be gone
          why = String.valueOf(e.getMessage());
        }
      }
      reasons.add("; not by %s: %s".formatted(candidate.name(), why));
    }
    throw new NetException("reach", host, "no provider can" + String.join("", reasons), null);
  }

  /// The name of the provider.
  public String provider() {
    return provider;
  }

  /// A completion queue for the calling thread.
  public CompletionQueue completionQueue() {
    return completionQueue(CompletionQueue.DEFAULT_SPIN_NANOS);
  }

  /// A completion queue for the calling thread, which polls for so long before it parks the thread:
  /// 0 to park at once, `Long.MAX_VALUE` never to.
  ///
  /// @throws IllegalStateException if the fabric is closed
  public synchronized CompletionQueue completionQueue(long spinNanos) {
    requireOpen();
    CompletionQueue queue = new CompletionQueue(this, carrier.port(), spinNanos);
    open.add(queue);
    return queue;
  }

  /// Listens at an address of the provider's own form; the description of its package has them.
  ///
  /// @throws NetException if that is not possible: somebody else listens there, for example
  /// @throws IllegalArgumentException if the address has another form
  /// @throws IllegalStateException if the fabric is closed
  public synchronized Listener listen(String address) {
    requireOpen();
    Listener listener = new Listener(this, carrier.listen(address));
    open.add(listener);
    return listener;
  }

  /// Connects to a listener's address, and waits for the answer. The interface completes on
  /// `queue`, whose thread this is.
  ///
  /// @param tag what the peer decides by whether to accept
  /// @throws NetException if something else failed than what [Connection.Reason] names, or the
  ///     thread is interrupted, which it then still is
  /// @throws IllegalArgumentException if the queue is another fabric's, or the address has another
  ///     form
  @CheckReturnValue
  public Connection connect(
      String address, long tag, CompletionQueue queue, Attributes attributes, Duration timeout) {
    requireOwn(queue);
    ConnectResult result =
        carrier.connect(address, tag, queue.port(this), attributes, nanos(timeout));
    return connection(result, address, queue);
  }

  /// Makes an interface of a socket that is connected already, such as one that was used to agree
  /// with the peer that it changes to messages. The peer does so, too, with the same tag, at about
  /// the same time; neither has sent anything that the other has not read. `tcp` and `uring` can do
  /// that, and not with TLS, which begins with the side that has connected.
  ///
  /// The socket is the fabric's from now on: it is closed if no connection comes of it. `uring`
  /// takes its descriptor, and so needs a channel that is registered with no selector.
  ///
  /// @throws NetException if something else failed than what [Connection.Reason] names
  /// @throws UnsupportedOperationException if the provider cannot
  /// @throws IllegalArgumentException if the queue is another fabric's, or the socket no TCP
  ///     connection
  @CheckReturnValue
  public Connection adopt(
      SocketChannel socket,
      long tag,
      CompletionQueue queue,
      Attributes attributes,
      Duration timeout) {
    String peer = "the peer of " + socket;
    boolean kept = false;
    try {
      requireOwn(queue);
      requireTcp(socket);
      ConnectResult result =
          carrier.adopt(socket, tag, queue.port(this), attributes, nanos(timeout));
      kept = result instanceof ConnectResult.Connected;
      return connection(result, peer, queue);
    } finally {
      if (!kept) {
        close(socket);
      }
    }
  }

  private static void requireTcp(SocketChannel socket) {
    try {
      if (socket.getRemoteAddress() instanceof InetSocketAddress) {
        return;
      }
    } catch (IOException e) {
      throw new NetException("adopt", socket.toString(), String.valueOf(e.getMessage()), e);
    }
    throw new IllegalArgumentException(
        "%s is no connection of TCP, which is all that can be adopted".formatted(socket));
  }

  private static void close(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException alreadyUseless) {
      // nothing is left that could be done with it
    }
  }

  /// Has a queue that another fabric has made serve this one, too: then one wait is for the
  /// messages of both. Its thread calls this.
  ///
  /// @throws IllegalArgumentException if it serves this one already
  /// @throws IllegalStateException if the fabric or the queue is closed, or a signal is pending
  public synchronized void attach(CompletionQueue queue) {
    requireOpen();
    queue.requireOwner();
    if (open.contains(queue)) {
      throw new IllegalArgumentException("the completion queue serves this fabric already");
    }
    Port _ = queue.port(); // it is open
    queue.requireNoSignal();
    Port port = carrier.port();
    boolean serves = false;
    try {
      queue.serve(this, port);
      serves = true;
    } finally {
      if (!serves) {
        port.close();
      }
    }
    open.add(queue);
  }

  private static Connection connection(
      ConnectResult result, String address, CompletionQueue queue) {
    queue.remind(); // meanwhile something may have completed
    return switch (result) {
      case ConnectResult.Connected(var link) ->
          new Connection.Established(new VirtualInterface(link, queue));
      case ConnectResult.NotConnected(var reason, String detail) -> {
        if (reason == Connection.Reason.TIMED_OUT && Thread.currentThread().isInterrupted()) {
          throw new NetException("connect to", address, "the thread was interrupted", null);
        }
        yield new Connection.Refused(reason, address, detail);
      }
    };
  }

  /// Closes the provider. The queues and listeners that it made are to be closed first, each queue
  /// by its own thread.
  ///
  /// @throws IllegalStateException if some are open; the fabric is then too
  @Override
  public synchronized void close() {
    List<AutoCloseable> left = List.copyOf(open);
    if (!left.isEmpty()) {
      throw new IllegalStateException(
          "%d completion queues and listeners are open still, as %s: close them first"
              .formatted(left.size(), left.getFirst()));
    }
    closed = true;
    carrier.close();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the fabric is closed");
    }
  }

  @Override
  public String toString() {
    return "Fabric[%s%s]".formatted(provider, closed ? ", closed" : "");
  }

  void closed(AutoCloseable part) {
    open.remove(part);
  }

  void requireOwn(CompletionQueue queue) {
    queue.requireOwner();
    Port _ = queue.port(this);
  }

  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException longerThanTheAges) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }
}
