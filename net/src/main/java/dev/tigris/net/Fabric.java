package dev.tigris.net;

import dev.tigris.net.faulty.FaultyCarrier;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Linking;
import dev.tigris.net.provider.Provider;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// One provider, opened: what makes listeners, completion queues and connections.
///
/// Thread rule: any thread. What it makes belongs to the thread that made it.
public final class Fabric implements AutoCloseable {
  private final String provider;
  private final Carrier carrier;
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  private Fabric(String provider, Carrier carrier) {
    this.provider = provider;
    this.carrier = carrier;
  }

  /// Opens a provider by its name.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  /// @throws NetException if it cannot be used here, with the reason
  public static Fabric open(String provider) {
    Provider named = Providers.named(provider);
    return new Fabric(named.name(), named.open());
  }

  /// Opens a provider that breaks its promises on purpose, for tests of what is built on top.
  ///
  /// @throws IllegalArgumentException if there is none of this name
  /// @throws NetException if it cannot be used here, with the reason
  public static Fabric openFaulty(String provider, Faults faults) {
    Provider named = Providers.named(provider);
    return new Fabric("faulty " + named.name(), new FaultyCarrier(named.open(), faults));
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
  public CompletionQueue completionQueue(long spinNanos) {
    CompletionQueue queue = new CompletionQueue(this, carrier.port(), spinNanos);
    open.add(queue);
    return queue;
  }

  /// Listens at an address of the provider's own form; docs/net.md has them.
  ///
  /// @throws NetException if that is not possible: somebody else listens there, for example
  public Listener listen(String address) {
    Listener listener = new Listener(this, carrier.listen(address));
    open.add(listener);
    return listener;
  }

  /// Connects to a listener's address, and waits for the answer. The interface completes on
  /// `queue`, whose thread this is.
  ///
  /// @param tag what the peer decides by whether to accept
  /// @throws NetException if something else failed than what [Connection.Reason] names
  /// @throws IllegalArgumentException if the queue is another fabric's
  @CheckReturnValue
  public Connection connect(
      String address, long tag, CompletionQueue queue, Attributes attributes, Duration timeout) {
    requireOwn(queue);
    return switch (carrier.connect(address, tag, queue.port(), attributes, nanos(timeout))) {
      case Linking.Linked(var link) ->
          new Connection.Established(new VirtualInterface(link, queue));
      case Linking.NotLinked(var refusal) -> refusal;
    };
  }

  /// Closes the provider. The queues and listeners that it made are to be closed first, each by its
  /// own thread.
  ///
  /// @throws IllegalStateException if some are open; the fabric is then too
  @Override
  public void close() {
    if (!open.isEmpty()) {
      throw new IllegalStateException(
          "%d completion queues and listeners are open still: close them first"
              .formatted(open.size()));
    }
    carrier.close();
  }

  void closed(AutoCloseable part) {
    open.remove(part);
  }

  void requireOwn(CompletionQueue queue) {
    queue.requireOwner();
    if (queue.fabric() != this) {
      throw new IllegalArgumentException("the completion queue belongs to another fabric");
    }
  }

  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException longerThanTheAges) {
      return Long.MAX_VALUE;
    }
  }
}
