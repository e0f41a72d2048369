package dev.tigris.bench.net;

import java.util.Arrays;

/// What a [WorkerMain] measures over. A message is a number in its first and its last 4 bytes, with
/// whatever lies between; the one who receives it compares the two.
interface Transport {
  /// Listens, and returns the address to connect to.
  String listen(String address) throws Exception;

  /// Serves one connection after the other, for ever.
  void serve() throws Exception;

  /// Sends a message and waits until it is back, `count` times; connects before that if there is no
  /// connection for messages of this size.
  RoundTrips pingPong(String address, int bytes, int count) throws Exception;

  /// Sends `count` messages one way, and waits for an answer to the last.
  OneWay bandwidth(String address, int bytes, int count) throws Exception;

  /// Ends the connection, if there is one.
  void disconnect() throws Exception;

  /// Round trips.
  ///
  /// @param medianNanos of one
  /// @param p999Nanos what one in a thousand exceeds
  /// @param allocatedBytes what the thread has allocated meanwhile
  record RoundTrips(long medianNanos, long p999Nanos, long allocatedBytes) {
    /// From what each has taken, which is sorted here.
    static RoundTrips of(long[] nanos, long allocatedBytes) {
      Arrays.sort(nanos);
      return new RoundTrips(
          nanos[nanos.length / 2], nanos[(int) (nanos.length * 0.999)], allocatedBytes);
    }
  }

  /// Messages one way.
  ///
  /// @param nanos of all messages and the answer
  /// @param allocatedBytes what the thread has allocated meanwhile
  /// @param peerAllocatedBytes what the thread that receives has
  record OneWay(long nanos, long allocatedBytes, long peerAllocatedBytes) {}
}
