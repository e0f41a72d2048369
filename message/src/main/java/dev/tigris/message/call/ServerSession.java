package dev.tigris.message.call;

import dev.tigris.message.channel.Channel;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A client, as a server knows it: its calls that are not over.
///
/// Thread rule: the server's thread.
final class ServerSession {
  private static final int MOST_REMEMBERED = 64;

  final Channel channel;
  private final Map<Long, ServerCall> calls = new HashMap<>();

  /// Cancelled before they have arrived.
  private final ArrayDeque<Long> cancelled = new ArrayDeque<>();

  /// Those that wait for a thread to run on, in the order of arrival.
  final ArrayDeque<ServerCall> queued = new ArrayDeque<>(0);

  /// Whether the server knows that it has such calls.
  boolean isReady;

  /// How many of the server's places its calls have, and how many of them run.
  int places;

  int running;

  /// The messages that wait for a credit, in the order of sending.
  final ArrayDeque<ServerHub.Outbound> outbound = new ArrayDeque<>(0);

  ServerSession(Channel channel) {
    this.channel = channel;
  }

  /// Notes a call, whose number no other one has.
  void add(ServerCall call) {
    calls.put(call.id(), call);
  }

  void remove(ServerCall call) {
    calls.remove(call.id(), call);
  }

  @Nullable ServerCall find(long id) {
    return calls.get(id);
  }

  Collection<ServerCall> calls() {
    return List.copyOf(calls.values());
  }

  /// Remembers that a call is not wanted that may still arrive.
  void cancelled(long id) {
    if (cancelled.size() == MOST_REMEMBERED) {
      cancelled.remove();
    }
    cancelled.add(id);
  }

  /// Whether a call that arrives is not wanted any more.
  boolean wasCancelled(long id) {
    return !cancelled.isEmpty() && cancelled.remove(id);
  }
}
