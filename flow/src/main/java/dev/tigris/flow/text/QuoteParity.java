package dev.tigris.flow.text;

import java.io.IOException;

/// Says of each block of a file whether it begins between quotes, which depends on the number of
/// quotes in all blocks before it.
///
/// A thread that has read a block says whether it has an odd number of quotes, and then waits until
/// all threads with an earlier block have said so. Each of these has taken its block before, and
/// says it, or that it failed, without waiting for anything but the disk. So nobody waits in a
/// circle.
///
/// Thread rule: any thread.
final class QuoteParity {
  /// For each block: whether its number of quotes is known, and odd.
  private final boolean[] known;

  private final boolean[] odd;

  /// For each block below `settled` and the one after: whether it begins between quotes.
  private final boolean[] inside;

  private int settled;
  private boolean failed;

  QuoteParity(int blocks) {
    known = new boolean[blocks];
    odd = new boolean[blocks];
    inside = new boolean[blocks + 1];
  }

  /// Notes the quotes of a block, and returns whether it begins between quotes.
  synchronized boolean inside(int block, boolean isOdd) throws IOException, InterruptedException {
    known[block] = true;
    odd[block] = isOdd;
    int before = settled;
    while (settled < known.length && known[settled]) {
      inside[settled + 1] = inside[settled] ^ odd[settled];
      settled++;
    }
    if (settled > before) {
      notifyAll();
    }
    while (settled < block && !failed) {
      wait();
    }
    if (settled < block) {
      throw new IOException("another replica could not read the part of the file before this one");
    }
    return inside[block];
  }

  /// Notes that a block could not be read.
  synchronized void fail() {
    failed = true;
    notifyAll();
  }
}
