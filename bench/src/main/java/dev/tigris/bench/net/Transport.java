package dev.tigris.bench.net;

import java.time.Duration;
import java.util.Arrays;

/// What a [WorkerMain] measures over. A message is a number in its first and its last 4 bytes, with
/// whatever lies between; the one who receives it compares the two.
interface Transport {
  /// What the receiver of a message is to do with it, which its tag says: to send it back.
  int ECHO = 0;

  /// To count it.
  int ONE_WAY = 1;

  /// To count it, and to answer how many there were.
  int LAST = 2;

  /// The size of that answer.
  int ANSWER_BYTES = 8;

  /// How many messages are under way at least.
  int FEWEST_POSTED = 4;

  /// The time to wait for the other side.
  Duration PATIENCE = Duration.ofSeconds(10);

  long PATIENCE_NANOS = PATIENCE.toNanos();

  /// How many messages of a size are under way one way: 8 MiB of them, if that is neither too few
  /// nor too many.
  static int countFor(int bytes) {
    return Math.clamp((8 << 20) / bytes, FEWEST_POSTED, 64);
  }

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
