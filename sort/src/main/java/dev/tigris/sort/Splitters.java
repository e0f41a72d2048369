package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Where the range of keys is split into buckets, found from a sample of the keys.
///
/// Bucket `i` holds the keys that are at or after boundary `i - 1` and before boundary `i`. A key
/// that is so frequent in the sample that it would fill several buckets gets one of its own: two
/// boundaries, one before the key and one after it.
///
/// ```
///   boundaries        b0        b1     b2 = after v       b3
///   buckets      0    |    1    |   2  |        3         |    4
///                             v = b1, only v in bucket 2
/// ```
///
/// A bucket is looked up in a table over the bits of the key in which the boundaries differ; the
/// few boundaries in a cell of the table are searched by bisection.
///
/// Thread rule: immutable; any thread.
final class Splitters {
  /// Boundaries are cut to so many bytes of the key.
  static final int MAX_BOUNDARY_BYTES = 64;

  private final int boundaryBytes;

  /// The boundaries' bytes, one after the other, and the part of each that the table looks at.
  private final byte[] boundaries;

  private final Windows windows;

  /// Whether a boundary lies after the key that it names.
  private final boolean[] isAfter;

  /// With so many bytes do all boundaries begin; the window follows them.
  private final int common;

  /// How large a share of the sample fell into each bucket; the shares add up to 1.
  private final double[] shares;

  /// The sample's keys in order.
  private static final class Sample implements RecordSink {
    final byte[] keys;
    final int keyBytes;
    int count;

    Sample(int most, int keyBytes) {
      this.keys = new byte[Math.multiplyExact(most, keyBytes)];
      this.keyBytes = keyBytes;
    }

    @Override
    public void put(byte[] bytes, int index) {
      System.arraycopy(bytes, index, keys, count++ * keyBytes, keyBytes);
    }

    @Override
    public void put(Bytes bytes, long offset) {
      bytes.copyTo(offset, keys, count++ * keyBytes, keyBytes);
    }

    @Override
    public void putAll(Bytes bytes, long offset, long more) {
      bytes.copyTo(offset, keys, count * keyBytes, (int) more * keyBytes);
      count += (int) more;
    }

    boolean isSame(int left, int right) {
      int leftKey = left * keyBytes;
      int rightKey = right * keyBytes;
      return Arrays.equals(keys, leftKey, leftKey + keyBytes, keys, rightKey, rightKey + keyBytes);
    }
  }

  /// Chooses boundaries for about `buckets` buckets of equal size.
  ///
  /// @param sample the first bytes of the keys of some records, each [#sampleBytes] long
  static Splitters choose(RecordFormat format, Bytes sample, int count, int buckets)
      throws SortException {
    int keyBytes = sampleBytes(format);
    Sample keys = new Sample(count, keyBytes);
    List<Integer> chosen = new ArrayList<>();
    List<Boolean> after = new ArrayList<>();
    if (count == 0) {
      return of(keys, chosen, after);
    }
    RecordFormat keyOnly = new RecordFormat(keyBytes, 0, keyBytes);
    BucketSorter sorter = new BucketSorter(keyOnly, count, keys.keys.length);
    sorter.add(sample, 0, count);
    sorter.sortTo(keys);
    int last = -1;
    for (int i = 1; i < buckets; i++) {
      int candidate = (int) ((long) count * i / buckets);
      if (last < 0 || !keys.isSame(last, candidate)) {
        chosen.add(candidate);
        after.add(false);
        last = candidate;
      } else if (!after.getLast()) {
        chosen.add(candidate);
        after.add(true);
      }
    }
    return of(keys, chosen, after);
  }

  /// Returns how many bytes of each key a sample needs.
  static int sampleBytes(RecordFormat format) {
    return Math.min(format.keySize(), MAX_BOUNDARY_BYTES);
  }

  private static Splitters of(Sample sample, List<Integer> chosen, List<Boolean> after) {
    int count = chosen.size();
    byte[] boundaries = new byte[count * sample.keyBytes];
    boolean[] isAfter = new boolean[count];
    for (int i = 0; i < count; i++) {
      int from = chosen.get(i) * sample.keyBytes;
      System.arraycopy(sample.keys, from, boundaries, i * sample.keyBytes, sample.keyBytes);
      isAfter[i] = after.get(i);
    }
    return new Splitters(sample.keyBytes, boundaries, isAfter, shares(sample, chosen, after));
  }

  private Splitters(int boundaryBytes, byte[] boundaries, boolean[] isAfter, double[] shares) {
    int count = isAfter.length;
    this.boundaryBytes = boundaryBytes;
    this.boundaries = boundaries;
    this.isAfter = isAfter;
    this.shares = shares;
    this.common = count == 0 ? 0 : commonBytes(count);
    long[] parts = new long[count];
    for (int i = 0; i < count; i++) {
      parts[i] = window(boundaries, i * boundaryBytes);
    }
    this.windows = new Windows(parts);
  }

  /// Writes the boundaries for another process.
  void write(DataOutputStream out) throws IOException {
    out.writeInt(boundaryBytes);
    out.writeInt(isAfter.length);
    out.write(boundaries);
    for (boolean after : isAfter) {
      out.writeBoolean(after);
    }
    for (double share : shares) {
      out.writeDouble(share);
    }
  }

  /// Reads what [#write] has written.
  static Splitters read(DataInputStream in) throws IOException {
    int boundaryBytes = in.readInt();
    int count = in.readInt();
    if (boundaryBytes < 1
        || boundaryBytes > MAX_BOUNDARY_BYTES
        || count < 0
        || count >= 2 * SortPlan.MAX_BUCKETS) {
      throw new IOException("%d boundaries of %d bytes".formatted(count, boundaryBytes));
    }
    byte[] boundaries = new byte[count * boundaryBytes];
    in.readFully(boundaries);
    boolean[] isAfter = new boolean[count];
    for (int i = 0; i < count; i++) {
      isAfter[i] = in.readBoolean();
    }
    double[] shares = new double[count + 1];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = in.readDouble();
    }
    return new Splitters(boundaryBytes, boundaries, isAfter, shares);
  }

  /// With how many bytes do the first and the last boundary, and so all, begin: no more than leave
  /// a window.
  private int commonBytes(int count) {
    int last = (count - 1) * boundaryBytes;
    int bytes = 0;
    while (bytes + Long.BYTES < boundaryBytes && boundaries[bytes] == boundaries[last + bytes]) {
      bytes++;
    }
    return bytes;
  }

  private static double[] shares(Sample sample, List<Integer> chosen, List<Boolean> after) {
    double[] parts = new double[chosen.size() + 1];
    int start = 0;
    for (int i = 0; i < chosen.size(); i++) {
      int end = chosen.get(i);
      // The candidate is one of several equal keys: all of them lie on one side of the boundary.
      while (after.get(i) && end < sample.count && sample.isSame(end, chosen.get(i))) {
        end++;
      }
      while (!after.get(i) && end > start && sample.isSame(end - 1, chosen.get(i))) {
        end--;
      }
      parts[i] = (double) (end - start) / sample.count;
      start = end;
    }
    parts[parts.length - 1] =
        sample.count == 0 ? 1 : (double) (sample.count - start) / sample.count;
    return parts;
  }

  int buckets() {
    return windows.count() + 1;
  }

  /// Returns the share of all records that is to be expected in a bucket.
  double share(int bucket) {
    return shares[bucket];
  }

  private long window(byte[] bytes, int key) {
    return RecordFormat.leading(bytes, key + common, boundaryBytes - common);
  }

  /// Returns the bucket of the key that begins at `key`, of which the first [#sampleBytes] are
  /// there.
  int bucket(byte[] bytes, int key) {
    if (windows.count() == 0) {
      return 0;
    }
    if (common > 0) {
      int compared = Arrays.compareUnsigned(bytes, key, key + common, boundaries, 0, common);
      if (compared != 0) {
        return compared < 0 ? 0 : windows.count();
      }
    }
    long window = window(bytes, key);
    int low = windows.low(window);
    int high = windows.high(window);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isAtOrAfter(window, bytes, key, middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isAtOrAfter(long window, byte[] bytes, int key, int boundary) {
    int compared = Long.compareUnsigned(window, windows.get(boundary));
    if (compared == 0) {
      int start = boundary * boundaryBytes;
      int from = Math.min(common + Long.BYTES, boundaryBytes);
      compared =
          Arrays.compareUnsigned(
              bytes,
              key + from,
              key + boundaryBytes,
              boundaries,
              start + from,
              start + boundaryBytes);
    }
    return isAfter[boundary] ? compared > 0 : compared >= 0;
  }
}
