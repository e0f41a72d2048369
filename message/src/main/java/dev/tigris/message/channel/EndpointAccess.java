package dev.tigris.message.channel;

import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.Handler;
import dev.tigris.message.Message;
import dev.tigris.message.Options;
import dev.tigris.message.Token;
import dev.tigris.net.Fabric;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The access that calls have to endpoints, and users do not. A server sends requests to peers that
/// are in no table, and both sides choose the memory that a bulk transfer arrives in.
///
/// The one object of this type is a constant of [Endpoint], which this interface looks up when it
/// is initialized. That takes no registration, so no order in which classes have to be loaded.
///
/// Thread rule: that of the endpoint.
public interface EndpointAccess {
  /// The one implementation.
  EndpointAccess ENDPOINTS = find();

  private static EndpointAccess find() {
    try {
      return (EndpointAccess)
          MethodHandles.privateLookupIn(Endpoint.class, MethodHandles.lookup())
              .findStaticVarHandle(Endpoint.class, "ACCESS", EndpointAccess.class)
              .get();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Endpoint has no constant ACCESS", e);
    }
  }

  /// The channel that a message has come over, while its handler runs.
  Channel channel(Token token);

  /// The channel to a peer in the table.
  ///
  /// @throws IllegalArgumentException if the entry is empty
  Channel channel(Endpoint endpoint, int entry);

  /// Has the bundle send what was put into a channel, by the end of this poll or with the next one.
  void touched(Endpoint endpoint, Channel channel);

  /// Says where bulk transfers arrive that are for no place of the segment, by their length.
  void targets(Endpoint endpoint, LongFunction<BulkTarget> targets);

  /// Says what hears, at this side, of bulk transfers that find no memory here, before they go back
  /// to their senders: of their words, and the length of the payload that is not there.
  void refusals(Endpoint endpoint, Handler hears);

  /// Where a bulk transfer has arrived, while its handler runs; null for another message.
  @Nullable BulkTarget target(Message message);

  /// Asks whether a bundle answers at an address, on a thread of its own, which wakes the thread of
  /// the bundle when that is known.
  Question ask(Endpoint endpoint, String provider, String address, Duration limit);

  /// A question whether a bundle answers at an address. Any thread.
  interface Question {
    /// Returns whether one does; null while that is not known.
    @Nullable Boolean isAnswered();

    /// Returns how long the answer took.
    long elapsedNanos();

    /// Returns why there is none, for a message.
    String failure();
  }

  /// Opens a bundle as [Bundle#open(Options, List)] does, in an environment of its own: for
  /// simulators.
  Bundle open(Options options, List<Fabric> fabrics, Environment environment);

  /// Throws if the counts of a session do not add up: for tests.
  void checkInvariants(Bundle bundle);
}
