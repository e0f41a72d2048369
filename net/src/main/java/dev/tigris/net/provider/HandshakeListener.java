package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import java.security.Principal;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// A [ProviderListener] whose peers connect first and then say what they want.
///
/// ```text
///                 a whole request
///   connected ----------------------> ready ----> returned to the application
///       |
///       '--> closed: garbage, the end, or no request in time
/// ```
///
/// @param <S> a connection whose request has not arrived
public abstract class HandshakeListener<S extends HandshakeListener.Silent>
    implements ProviderListener {
  /// How long a peer may take for its request.
  public static final long HANDSHAKE_NANOS = 5_000_000_000L;

  /// How many connections may be without a request. When there are more, the oldest is closed: so
  /// that silent connections keep no other out.
  protected static final int MOST_SILENT = 1024;

  /// Where that is too many files for this process, one of so many is closed, the oldest first.
  private static final int OF_SO_MANY = 8;

  /// The connections that have not said what they want, the oldest first.
  protected final ArrayDeque<S> silent = new ArrayDeque<>();

  /// The requests that have arrived.
  protected final ArrayDeque<Waiting> ready = new ArrayDeque<>();

  private final long handshakeNanos;
  private final WakeRequest wake = new WakeRequest();

  /// A connection whose request has not arrived.
  public abstract static class Silent {
    private final long since = System.nanoTime();

    /// Makes one, whose time begins now.
    protected Silent() {}

    /// Closes it.
    protected abstract void close();
  }

  /// A request that was not taken yet.
  protected interface Waiting extends IncomingRequest {
    /// Closes its connection without an answer, because the listener is closed.
    void turnAway();
  }

  /// A connection over which a [Hello] has come, and is answered.
  public interface Caller {
    /// The name of the caller, for messages.
    String name();

    /// The authenticated identity of the caller; null without authentication.
    default @Nullable Principal principal() {
      return null;
    }

    /// Makes a link of it. Nothing moves before the answer is sent.
    ///
    /// @throws NetException if that is not possible: it is closed then
    Link link(Port port, Attributes attributes, long peerMaximumMessageBytes);

    /// Sends an answer, for which there is room: nothing was sent before. Returns whether it could.
    boolean answer(Hello answer);

    /// Closes it: there is no link.
    void close();
  }

  /// A request, and whose it is.
  private record Request(Caller caller, Hello hello) implements Waiting {
    @Override
    public long tag() {
      return hello.tag();
    }

    @Override
    public String peer() {
      return caller.name();
    }

    @Override
    public @Nullable Principal principal() {
      return caller.principal();
    }

    @Override
    public Link accept(Port port, Attributes attributes) {
      Link link = caller.link(port, attributes, hello.maximumMessageBytes());
      if (!caller.answer(hello.answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes()))) {
        link.fail("the peer has given up connecting");
      }
      return link;
    }

    @Override
    public void reject() {
      boolean _ = caller.answer(hello.answered(Hello.Answer.REJECTED, 0));
      caller.close();
    }

    @Override
    public void turnAway() {
      caller.close();
    }
  }

  /// @param handshakeNanos how long a peer may take for its request
  protected HandshakeListener(long handshakeNanos) {
    this.handshakeNanos = handshakeNanos;
  }

  @Override
  public final @Nullable IncomingRequest next(long timeoutNanos) {
    long start = System.nanoTime();
    IncomingRequest first = ready.poll();
    long left = Math.max(0, timeoutNanos);
    while (first == null) {
      // Where a request came together with the wake, that has ended the look that found the
      // request.
      look(wake.isAsked() ? 0 : Math.min(left, untilForgotten()));
      first = ready.poll();
      left = timeoutNanos - (System.nanoTime() - start);
      if (first == null && (left <= 0 || Thread.currentThread().isInterrupted() || wake.take())) {
        return null;
      }
    }
    return first;
  }

  /// Waits for at most `nanos` and handles arrivals. [#endWait] ends the wait early. New
  /// connections become `silent`, and those whose request has come `ready`. Those that took too
  /// long are left to [#forgetTheSilent].
  protected abstract void look(long nanos);

  /// Takes the hello of a caller: a request becomes `ready`, and any other caller is closed.
  ///
  /// @param said null if that was no hello
  protected final void heard(Caller caller, @Nullable Hello said) {
    if (said != null && said.isRequest()) {
      ready.add(new Request(caller, said));
      return;
    }
    if (said != null && !said.isOfThisVersion()) {
      boolean _ = caller.answer(said.answered(Hello.Answer.OTHER_VERSION, 0));
    }
    caller.close();
  }

  private long untilForgotten() {
    S oldest = silent.peek();
    return oldest == null
        ? Long.MAX_VALUE
        : Math.max(0, handshakeNanos - (System.nanoTime() - since(oldest)));
  }

  /// Closes those that have said nothing for too long, and the oldest if they are too many.
  protected final void forgetTheSilent() {
    for (S oldest = silent.peek(); oldest != null; oldest = silent.peek()) {
      if (silent.size() <= MOST_SILENT && System.nanoTime() - since(oldest) < handshakeNanos) {
        return;
      }
      silent.poll();
      oldest.close();
    }
  }

  /// No more connections can be taken now. Makes room by closing those that were silent for the
  /// longest: called after what they have said was looked at.
  ///
  /// @param why the limit that was met
  /// @throws NetException with that, if there is nothing to close and nothing to return
  protected final void makeRoom(NetException why) {
    if (silent.isEmpty() && ready.isEmpty()) {
      throw why;
    }
    for (int left = Math.ceilDiv(silent.size(), OF_SO_MANY); left > 0; left--) {
      silent.remove().close();
    }
  }

  private static long since(Silent connection) {
    return connection.since;
  }

  /// Closes all connections, which will not be answered.
  protected final void turnAway() {
    for (S left : silent) {
      left.close();
    }
    silent.clear();
    for (Waiting left = ready.poll(); left != null; left = ready.poll()) {
      left.turnAway();
    }
  }

  @Override
  public final void wake() {
    wake.ask();
    endWait();
  }

  /// Ends the wait in [#look], or the next one. Any thread.
  protected abstract void endWait();
}
