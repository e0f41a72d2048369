package dev.tigris.sort;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// A random sample of lines, each as likely as any other, however many there are. Where lines are
/// long, it is as small as the memory for it demands.
///
/// Thread rule: one thread at a time.
final class LineSample {
  private final int most;
  private final long mostBytes;
  private final SplittableRandom random;
  private final List<byte[]> lines = new ArrayList<>();
  private long seen;
  private long bytes;

  LineSample(int most, long mostBytes, long seed) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.random = new SplittableRandom(seed);
  }

  /// Offers a line, with the byte that ends it.
  void offer(byte[] text, int start, int end) {
    seen++;
    boolean isFull = lines.size() == most || (bytes >= mostBytes && !lines.isEmpty());
    if (!isFull) {
      lines.add(Arrays.copyOfRange(text, start, end - 1));
      bytes += end - start;
      return;
    }
    long place = random.nextLong(seen);
    if (place < lines.size()) {
      byte[] before = lines.set((int) place, Arrays.copyOfRange(text, start, end - 1));
      bytes += end - 1 - start - before.length;
    }
  }

  /// The lines, without the bytes that end them.
  List<byte[]> lines() {
    return lines;
  }
}
