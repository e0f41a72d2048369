package dev.tigris.net.socket;

import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Connects to a host that may have several addresses: to one after the other, until a listener
/// answers.
///
/// Each address may be tried for an equal share of the time that is left, so that one that swallows
/// what is sent to it leaves time for those behind it. An address that was reached has all the time
/// that is left for its answer: its listener may be busy. An answer, be it a rejection, ends the
/// attempts. Where no address answers, the refusal names all that were tried.
public final class AddressesInTurn {
  /// An attempt to connect to one address.
  public interface Attempt {
    /// Connects as [dev.tigris.net.provider.Carrier#connect] does, to one address of the host.
    ///
    /// @param reachNanos how long the attempt may take to reach the address. A provider that cannot
    ///     tell an address that was reached from one that was not ends the attempt by then.
    /// @param timeoutNanos how long the attempt may take with the answer of the listener
    ConnectResult connect(InetSocketAddress remote, long reachNanos, long timeoutNanos);
  }

  private final String address;
  private final List<String> tried = new ArrayList<>();
  private @Nullable Reason reason;
  private @Nullable NetException failure;

  private AddressesInTurn(String address) {
    this.address = address;
  }

  /// Connects to `host:port`.
  ///
  /// @throws IllegalArgumentException if the address has another form
  /// @throws NetException if the host has no address, or no attempt came to a result
  public static ConnectResult connect(String address, long timeoutNanos, Attempt attempt) {
    return connect(address, TcpAddress.all(address), timeoutNanos, attempt);
  }

  static ConnectResult connect(
      String address, List<InetSocketAddress> all, long timeoutNanos, Attempt attempt) {
    return all.size() == 1
        ? attempt.connect(all.getFirst(), timeoutNanos, timeoutNanos)
        : new AddressesInTurn(address).connect(all, timeoutNanos, attempt);
  }

  private ConnectResult connect(List<InetSocketAddress> all, long timeoutNanos, Attempt attempt) {
    Deadline deadline = Deadline.in(timeoutNanos);
    for (int i = 0; i < all.size(); i++) {
      InetSocketAddress remote = all.get(i);
      try {
        long left = Math.max(0, deadline.leftNanos());
        ConnectResult result = attempt.connect(remote, left / (all.size() - i), left);
        if (!(result instanceof ConnectResult.NotConnected(Reason why, String detail))) {
          return result;
        }
        note(remote, detail);
        if (isAnswer(why) || Thread.currentThread().isInterrupted()) {
          return ConnectResult.refused(why, String.join("; ", tried));
        }
        reason = reason == Reason.TIMED_OUT ? reason : why; // a listener may be there, and busy
      } catch (NetException e) {
        note(remote, e.what());
        failure = failure == null ? e : failure;
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
    }
    if (reason == null) {
      throw new NetException("connect to", address, String.join("; ", tried), failure);
    }
    return ConnectResult.refused(reason, String.join("; ", tried));
  }

  private void note(InetSocketAddress remote, String what) {
    tried.add(TcpAddress.format(remote) + ": " + what);
  }

  /// Whether a refusal came from a program at the address: another address would be another one.
  private static boolean isAnswer(Reason reason) {
    return switch (reason) {
      case REJECTED, INCOMPATIBLE, NOT_TRUSTED -> true;
      case NOBODY_LISTENS, TIMED_OUT -> false;
    };
  }
}
