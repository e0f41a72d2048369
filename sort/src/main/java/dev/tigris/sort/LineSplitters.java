package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Where the range of lines is split into buckets, found from a sample: as [Splitters], by whole
/// lines in their order.
///
/// A line that is so frequent in the sample that it would fill several buckets gets one of its own,
/// with equal lines only, which need no sorting.
///
/// Thread rule: immutable; any thread.
final class LineSplitters {
  private final KeyLevels levels;

  /// The boundaries, in order, and whether each lies after the lines that equal it, and not before.
  private final byte[][] boundaries;

  private final boolean[] isAfter;

  /// Per bucket, how many lines of the sample it has.
  private final int[] sampled;

  /// Up to this place do all boundaries agree; prefixes begin there.
  private final int common;

  private final Windows windows;

  private LineSplitters(
      LineOrder order, List<byte[]> boundaries, List<Boolean> after, int[] sampled) {
    this.levels = order.levels();
    this.sampled = sampled;
    this.boundaries = boundaries.toArray(new byte[0][]);
    this.isAfter = new boolean[boundaries.size()];
    for (int i = 0; i < isAfter.length; i++) {
      isAfter[i] = after.get(i);
    }
    this.common =
        boundaries.isEmpty()
            ? 0
            : levels.lastAgreement(boundaries.getFirst(), boundaries.getLast());
    long[] prefixes = new long[isAfter.length];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = prefix(this.boundaries[i], 0, this.boundaries[i].length);
    }
    this.windows = new Windows(prefixes);
  }

  /// A single bucket.
  static LineSplitters none(LineOrder order) {
    return new LineSplitters(order, List.of(), List.of(), new int[1]);
  }

  /// Chooses boundaries for about `buckets` buckets of equal size.
  ///
  /// @param sample some lines, without the bytes that end them; it is sorted
  static LineSplitters choose(LineOrder order, List<byte[]> sample, int buckets) {
    return choose(order, sample, buckets, Long.MAX_VALUE);
  }

  /// Chooses boundaries of at most so many bytes: lines that do not fit are no boundaries.
  static LineSplitters choose(LineOrder order, List<byte[]> sample, int buckets, long mostBytes) {
    sample.sort(order::compare);
    List<byte[]> chosen = new ArrayList<>();
    List<Boolean> after = new ArrayList<>();
    long bytes = 0;
    for (int i = 1; i < buckets && !sample.isEmpty(); i++) {
      byte[] candidate = sample.get((int) ((long) sample.size() * i / buckets));
      if (bytes + candidate.length > mostBytes) {
        continue; // the bucket before becomes larger
      }
      bytes += candidate.length;
      if (chosen.isEmpty() || order.compare(chosen.getLast(), candidate) != 0) {
        chosen.add(candidate);
        after.add(false);
      } else if (!after.getLast()) {
        chosen.add(candidate);
        after.add(true);
      }
    }
    return new LineSplitters(order, chosen, after, counts(order, sample, chosen, after));
  }

  private static int[] counts(
      LineOrder order, List<byte[]> sample, List<byte[]> chosen, List<Boolean> after) {
    int[] counts = new int[chosen.size() + 1];
    int before = 0;
    for (int i = 0; i < chosen.size(); i++) {
      int low = before;
      int high = sample.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        int compared = order.compare(sample.get(middle), chosen.get(i));
        if (compared < 0 || (compared == 0 && after.get(i))) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      counts[i] = low - before;
      before = low;
    }
    counts[chosen.size()] = sample.size() - before;
    return counts;
  }

  /// Returns which of so many sorters gets each bucket: neighbouring ones, with about its share of
  /// the lines.
  int[] shared(int sorters) {
    long all = 0;
    for (int count : sampled) {
      all += count;
    }
    int[] shared = new int[sampled.length];
    long before = 0;
    for (int bucket = 0; bucket < shared.length; bucket++) {
      double middle = all == 0 ? 0 : (before + sampled[bucket] / 2.0) / all;
      shared[bucket] = (int) Math.min(sorters - 1, middle * sorters);
      before += sampled[bucket];
    }
    return shared;
  }

  /// Writes what [#read] reads.
  void write(DataOutputStream out) throws IOException {
    out.writeInt(isAfter.length);
    for (int i = 0; i < isAfter.length; i++) {
      out.writeInt(boundaries[i].length);
      out.write(boundaries[i]);
      out.writeBoolean(isAfter[i]);
    }
    for (int count : sampled) {
      out.writeInt(count);
    }
  }

  /// Reads splitters of lines in this order.
  static LineSplitters read(DataInputStream in, LineOrder order) throws IOException {
    List<byte[]> boundaries = new ArrayList<>();
    List<Boolean> after = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      byte[] boundary = new byte[in.readInt()];
      in.readFully(boundary);
      boundaries.add(boundary);
      after.add(in.readBoolean());
    }
    int[] sampled = new int[boundaries.size() + 1];
    for (int i = 0; i < sampled.length; i++) {
      sampled[i] = in.readInt();
    }
    return new LineSplitters(order, boundaries, after, sampled);
  }

  int buckets() {
    return isAfter.length + 1;
  }

  /// Whether all lines of a bucket are equal in this order.
  boolean isOfEquals(int bucket) {
    return bucket < isAfter.length && isAfter[bucket];
  }

  /// The bucket of a line, which lies in `[start, end)` without the byte that ends it.
  int bucket(byte[] text, int start, int end) {
    if (boundaries.length == 0) {
      return 0;
    }
    if (common > 0) {
      byte[] first = boundaries[0];
      if (!levels.agrees(first, 0, first.length, text, start, end, common)) {
        return levels.compare(text, start, end, first, 0, first.length) < 0 ? 0 : boundaries.length;
      }
    }
    long prefix = prefix(text, start, end);
    int low = windows.low(prefix);
    int high = windows.high(prefix);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isAtOrAfter(prefix, text, start, end, middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long prefix(byte[] line, int start, int end) {
    return levels.prefix(common, line, levels.find(KeyLevels.level(common), line, start, end));
  }

  private boolean isAtOrAfter(long prefix, byte[] text, int start, int end, int boundary) {
    int compared = Long.compareUnsigned(prefix, windows.get(boundary));
    if (compared == 0) {
      byte[] line = boundaries[boundary];
      compared = levels.compare(text, start, end, line, 0, line.length);
    }
    return isAfter[boundary] ? compared > 0 : compared >= 0;
  }

  @Override
  public String toString() {
    return "LineSplitters[%d buckets, %s]".formatted(buckets(), Arrays.toString(isAfter));
  }
}
