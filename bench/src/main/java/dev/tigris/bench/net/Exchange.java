package dev.tigris.bench.net;

import java.io.IOException;

/// A pair of processes that is ready to exchange messages.
interface Exchange extends AutoCloseable {
  /// `count` round trips of a message.
  RoundTrips pingPong(int bytes, int count) throws IOException, InterruptedException;

  /// `count` messages one way.
  OneWay bandwidth(int bytes, int count) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;

  /// Round trips.
  ///
  /// @param medianNanos of a round trip
  /// @param p999Nanos what one round trip in a thousand exceeds; 0 if that is not known
  /// @param allocatedBytes by the side that measures
  record RoundTrips(double medianNanos, double p999Nanos, long allocatedBytes) {}

  /// Messages one way.
  ///
  /// @param nanosPerMessage over all messages
  /// @param allocatedBytes by both sides
  record OneWay(double nanosPerMessage, long allocatedBytes) {}
}
