package dev.tigris.net.provider;

/// The buffers that the [StreamLink]s of a port share: a link has one only while something is in
/// it.
///
/// Thread rule: that of the port.
final class StreamBuffers {
  private static final int CALLS_BETWEEN_CLOCKS = 1024;

  private final SpareBuffers spare = new SpareBuffers(Staging.BYTES, System.nanoTime());
  private final SpareBuffers spareToSend =
      new SpareBuffers(StreamSender.STAGED_BYTES, System.nanoTime());
  private int calls;

  /// Lets go of buffers that were not needed for a while. Called with each [Port#progress].
  void look() {
    if (++calls % CALLS_BETWEEN_CLOCKS == 0) {
      long now = System.nanoTime();
      spare.look(now);
      spareToSend.look(now);
    }
  }

  /// An empty buffer for what arrives.
  Staging take() {
    return spare.take();
  }

  void giveBack(Staging buffer) {
    spare.giveBack(buffer);
  }

  /// An empty buffer for what is to be sent.
  Staging takeToSend() {
    return spareToSend.take();
  }

  void giveBackToSend(Staging buffer) {
    spareToSend.giveBack(buffer);
  }
}
