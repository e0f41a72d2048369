package dev.tigris.net.shm;

/// The same with large data.
final class LargeRingTest extends RingTest {
  @Override
  int dataBytes() {
    return Ring.LARGE_DATA;
  }
}
