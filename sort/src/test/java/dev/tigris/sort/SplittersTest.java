package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.Arrays;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SplittersTest {
  @Property(tries = 300)
  void bucketsAreOrderedAsTheirKeysAre(
      @ForAll @IntRange(min = 1, max = 80) int keySize,
      @ForAll @IntRange(min = 0, max = 400) int sampled,
      @ForAll @IntRange(min = 1, max = 200) int buckets,
      @ForAll Records.Keys sampleKeys,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    RecordFormat format = new RecordFormat(keySize, 0, keySize);
    Splitters splitters = choose(format, sampled, buckets, sampleKeys, seed);
    double shares = 0;
    for (int bucket = 0; bucket < splitters.buckets(); bucket++) {
      shares += splitters.share(bucket);
    }
    assertEquals(1, shares, 1e-9);

    byte[] records = Records.sorted(Records.make(format, 500, keys, seed + 1), format);
    int before = 0;
    for (int i = 0; i < 500; i++) {
      int bucket = splitters.bucket(records, i * keySize);
      boolean isSame =
          i > 0
              && Arrays.equals(
                  records, (i - 1) * keySize, i * keySize, records, i * keySize, (i + 1) * keySize);
      assertTrue(bucket >= before && bucket < splitters.buckets(), "bucket " + bucket);
      assertTrue(!isSame || bucket == before, "equal keys are in one bucket");
      before = bucket;
    }
  }

  @Example
  void evenKeysMakeEvenBuckets() throws Exception {
    RecordFormat format = new RecordFormat(10, 0, 10);
    Splitters splitters = choose(format, 64_000, 1_000, Records.Keys.RANDOM, 7);
    byte[] records = Records.make(format, 100_000, Records.Keys.RANDOM, 8);
    int[] counts = new int[splitters.buckets()];
    for (int i = 0; i < 100_000; i++) {
      counts[splitters.bucket(records, 10 * i)]++;
    }
    int largest = Arrays.stream(counts).max().orElseThrow();
    assertEquals(1_000, splitters.buckets());
    assertTrue(
        largest < 250, "the largest of 1,000 buckets has 1/1000, not " + largest + "/100000");
  }

  @Example
  void aFrequentKeyHasABucketOfItsOwn() throws Exception {
    RecordFormat format = new RecordFormat(10, 0, 10);
    Splitters splitters = choose(format, 10_000, 100, Records.Keys.MOSTLY_EQUAL, 7);
    byte[] key = new byte[10];
    Arrays.fill(key, (byte) 0x80);
    int bucket = splitters.bucket(key, 0);
    key[9]++;
    assertEquals(bucket + 1, splitters.bucket(key, 0), "the bucket of the next key");
    Arrays.fill(key, 1, 10, (byte) 0xff);
    key[0] = 0x7f;
    assertEquals(bucket - 1, splitters.bucket(key, 0), "the bucket of the keys before");
  }

  private static Splitters choose(
      RecordFormat format, int sampled, int buckets, Records.Keys keys, long seed)
      throws SortException {
    byte[] records = Records.make(format, sampled, keys, seed);
    int keyBytes = Splitters.sampleBytes(format);
    byte[] sample = new byte[sampled * keyBytes];
    for (int i = 0; i < sampled; i++) {
      System.arraycopy(records, i * format.keySize(), sample, i * keyBytes, keyBytes);
    }
    return Splitters.choose(format, bytes(sample), sampled, buckets);
  }

  private static Bytes bytes(byte[] array) {
    Bytes bytes = Jbuf.allocate(array.length + 1L).asBytes();
    bytes.copyFrom(0, array, 0, array.length);
    return bytes;
  }
}
