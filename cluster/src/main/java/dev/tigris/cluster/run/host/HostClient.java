package dev.tigris.cluster.run.host;

import dev.tigris.cluster.run.host.HostMessage.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A coordinator's end of the connection to the worker of a host: asks, and hears of processes that
/// have ended.
///
/// Thread rule: any thread.
public final class HostClient implements AutoCloseable {
  /// Hears of processes. A thread of the connection calls it.
  @FunctionalInterface
  public interface Endings {
    /// A process has ended.
    void ended(int attempt, int worker, String message);

    /// The connection is lost: no other end is told.
    default void lost(HostClient client, String message) {}
  }

  private final HostAddress address;
  private final HostLink link;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<HostMessage>> waiting = new ConcurrentHashMap<>();
  private volatile @Nullable Endings endings;
  private volatile @Nullable IOException lost;

  private HostClient(HostAddress address, HostLink link) {
    this.address = address;
    this.link = link;
  }

  /// Connects.
  ///
  /// @throws IOException if that is not possible, with the reason
  public static HostClient connect(HostAddress address, HostKey key, Duration timeout)
      throws IOException {
    HostClient made = new HostClient(address, HostLink.connect(address, key, timeout));
    Thread _ = Thread.ofVirtual().name("tigris-host-" + address).start(made::read);
    return made;
  }

  private void read() {
    try {
      while (true) {
        HostMessage message = link.receive();
        if (message.kind() == Kind.ENDED) {
          end(message.texts());
        } else {
          CompletableFuture<HostMessage> asked = waiting.remove(message.id());
          if (asked != null) {
            asked.complete(message);
          }
        }
      }
    } catch (IOException | RuntimeException e) {
      String message = "the connection to the worker at %s is lost: %s".formatted(address, e);
      lost = new IOException(message);
      link.close();
      waiting.values().forEach(each -> each.completeExceptionally(e));
      Endings hears = endings;
      if (hears != null) {
        hears.lost(this, message);
      }
    }
  }

  private void end(List<String> texts) {
    Endings hears = endings;
    if (hears != null) {
      hears.ended(Integer.parseInt(texts.get(0)), Integer.parseInt(texts.get(1)), texts.get(2));
    }
  }

  /// Says what hears of processes from now on.
  public void listen(Endings hears) {
    endings = hears;
  }

  /// Asks, and waits for the answer.
  ///
  /// @return the texts of the answer
  /// @throws HostRefusedException if the worker does not do it
  /// @throws IOException if no answer comes
  public List<String> ask(Kind kind, Duration patience, List<String> texts) throws IOException {
    CompletableFuture<HostMessage> answer = send(kind, texts);
    HostMessage message;
    try {
      message = answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException(
          "the worker at %s has not answered for %,d ms".formatted(address, patience.toMillis()),
          e);
    } catch (ExecutionException e) {
      throw lostConnection(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the worker at %s was asked".formatted(address), e);
    }
    if (message.kind() == Kind.REFUSED) {
      throw new HostRefusedException(
          "the worker at %s refuses: %s".formatted(address, String.join("; ", message.texts())));
    }
    return message.texts();
  }

  /// Asks, and does not wait for the answer.
  public CompletableFuture<HostMessage> send(Kind kind, List<String> texts) throws IOException {
    int id = ids.incrementAndGet();
    var answer = new CompletableFuture<HostMessage>();
    waiting.put(id, answer);
    try {
      link.send(kind, id, texts);
    } catch (IOException e) {
      waiting.remove(id);
      throw lostConnection(e);
    }
    if (!isOpen() && waiting.remove(id) != null) { // nothing reads any more
      throw lostConnection(null);
    }
    return answer;
  }

  private IOException lostConnection(@Nullable Exception cause) {
    IOException known = lost;
    return known != null
        ? new IOException(known.getMessage(), cause)
        : new IOException(
            "the connection to the worker at %s is lost: %s".formatted(address, cause), cause);
  }

  /// Returns whether the connection was not lost yet, as far as is known.
  public boolean isOpen() {
    return lost == null;
  }

  /// Returns where the worker listens.
  public HostAddress address() {
    return address;
  }

  /// Returns the address of this host, as that of the worker reaches it.
  public String localHost() {
    return link.localHost();
  }

  @Override
  public void close() {
    link.close();
  }
}
