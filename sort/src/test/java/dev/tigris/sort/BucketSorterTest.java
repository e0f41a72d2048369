package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BucketSorterTest {
  @Property(tries = 400)
  void sortsAnyRecordsLikeAReference(
      @ForAll @IntRange(min = 1, max = 40) int keySize,
      @ForAll @IntRange(min = 0, max = 9) int keyOffset,
      @ForAll @IntRange(min = 0, max = 9) int rest,
      @ForAll @IntRange(min = 0, max = 3_000) int count,
      @ForAll @IntRange(min = 1, max = 700) int perPiece,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    RecordFormat format = new RecordFormat(keyOffset + keySize + rest, keyOffset, keySize);
    byte[] records = Records.make(format, count, keys, seed);
    byte[] sorted = sort(format, records, perPiece);
    assertArrayEquals(
        Records.sorted(records, format), Records.withEqualKeysInOrder(sorted, format));
  }

  @Property(tries = 20)
  void keysThatDifferLateAreSortedToo(@ForAll long seed) throws Exception {
    RecordFormat format = new RecordFormat(100, 0, 90);
    byte[] records = Records.make(format, 5_000, Records.Keys.FEW, seed);
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      records[100 * i + 89] = (byte) random.nextInt();
      records[100 * i + 45] = (byte) random.nextInt(2);
    }
    byte[] sorted = sort(format, records, 1_000);
    assertArrayEquals(
        Records.sorted(records, format), Records.withEqualKeysInOrder(sorted, format));
  }

  @Property(tries = 60)
  void sortsLongKeysLikeAReference(
      @ForAll @IntRange(min = 240, max = 3_000) int keySize,
      @ForAll @IntRange(min = 0, max = 300) int count,
      @ForAll Records.Keys keys,
      @ForAll long seed)
      throws Exception {
    RecordFormat format = new RecordFormat(keySize + 7, 3, keySize);
    byte[] records = Records.make(format, count, keys, seed);
    Random random = new Random(seed);
    for (int i = 1; i < count; i++) { // some keys are that of the record before, but for a byte
      if (random.nextBoolean()) {
        int at = i * format.recordSize() + 3;
        System.arraycopy(records, at - format.recordSize(), records, at, keySize);
        records[at + random.nextInt(keySize)] = (byte) random.nextInt();
      }
    }
    byte[] sorted = sort(format, records, 70);
    assertArrayEquals(
        Records.sorted(records, format), Records.withEqualKeysInOrder(sorted, format));
  }

  /// Sorts in a copy on the heap, and where the records lie, and makes sure that both do the same.
  private static byte[] sort(RecordFormat format, byte[] records, int perPiece)
      throws SortException {
    byte[] copied = sort(format, records, perPiece, records.length);
    byte[] inPlace = sort(format, records, perPiece, records.length - 1);
    assertArrayEquals(inPlace, copied);
    return copied;
  }

  private static byte[] sort(RecordFormat format, byte[] records, int perPiece, int copyBytes)
      throws SortException {
    int size = format.recordSize();
    byte[] sorted = new byte[records.length];
    int[] end = {0};
    BucketSorter sorter = new BucketSorter(format, 1, copyBytes);
    for (int from = 0; from < records.length; from += perPiece * size) {
      int length = Math.min(perPiece * size, records.length - from);
      Bytes piece = Jbuf.allocate(length + 3L).asBytes();
      piece.copyFrom(3, records, from, length);
      sorter.add(piece, 3, length / size);
    }
    sorter.sortTo(
        new RecordSink() {
          @Override
          public void put(byte[] bytes, int index) {
            System.arraycopy(bytes, index, sorted, end[0], size);
            end[0] += size;
          }

          @Override
          public void put(Bytes bytes, long offset) {
            bytes.copyTo(offset, sorted, end[0], size);
            end[0] += size;
          }

          @Override
          public void putAll(Bytes bytes, long offset, long count) {
            bytes.copyTo(offset, sorted, end[0], (int) count * size);
            end[0] += (int) count * size;
          }
        });
    assertEquals(records.length, end[0]);
    return sorted;
  }
}
