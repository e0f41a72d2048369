package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpillFileTest {
  private static final int RECORD_BYTES = 100;
  private static final int EXTENTS = 500;
  private static final int IN_WATER = 600;
  private static final int WATER_BYTES = IN_WATER * RECORD_BYTES;
  private static final int WATERS = 350;
  private static final long MOST_SPILLED_BYTES = 16 << 20;

  @TempDir Path folder;
  private Path path;
  private AlignedBuffer buffer;
  private SpillFile file;

  @BeforeEach
  void open() throws Exception {
    path = folder.resolve("spill");
    buffer = new AlignedBuffer(64 << 10, "test");
    file = new SpillFile(path, buffer, RECORD_BYTES);
  }

  @AfterEach
  void close() throws Exception {
    file.close();
    buffer.close();
  }

  /// Appends records whose first bytes are their number.
  private void append(Bucket bucket, int first, int count) throws SortException {
    for (int i = 0; i < count; i++) {
      buffer.bytes().setInt(SpillFile.HEADER_BYTES + (long) i * RECORD_BYTES, first + i);
    }
    file.append(bucket, buffer, 0, count);
  }

  /// However often it was spilled, and what the heap would have to hold of that otherwise.
  @Test
  void findsAllThatABucketWasSpilledToFromItsLastExtent() throws Exception {
    Random random = new Random(7);
    Bucket[] buckets = {new Bucket(), new Bucket(), new Bucket()};
    int[] next = new int[buckets.length];
    for (int i = 0; i < EXTENTS; i++) {
      int chosen = random.nextInt(buckets.length);
      int count = 1 + random.nextInt(600);
      append(buckets[chosen], next[chosen], count);
      next[chosen] += count;
    }
    for (int i = 0; i < buckets.length; i++) {
      assertEquals(next[i], buckets[i].records);
      int expected = next[i];
      long bytes = 0;
      SpillFile.Extent extent = buckets[i].lastExtent;
      while (extent != null) {
        bytes += SpillFile.extentBytes(extent.records(), RECORD_BYTES);
        expected -= (int) extent.records();
        SpillFile.Extent before = file.read(extent, extent.records(), buffer, 0);
        for (int record = 0; record < extent.records(); record++) {
          long at = SpillFile.HEADER_BYTES + (long) record * RECORD_BYTES;
          assertEquals(expected + record, buffer.bytes().getInt(at));
        }
        extent = before;
      }
      assertEquals(0, expected);
      assertEquals(bytes, buckets[i].extentBytes);
    }
  }

  /// A bucket that holds much is written in part: what stays in memory is not read again.
  @Test
  void spillsNoMoreOfABucketThanIsWrittenFast() throws Exception {
    Flow.named("spill")
        .source("make", Waters::new)
        .reservoir(Reservoir.routed())
        .stage("spill", Spiller::new)
        .build()
        .start()
        .await();
  }

  /// Makes waters of records whose first bytes are their number.
  private static final class Waters implements Source {
    private int made;

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(PartitionSource.HEADER_BYTES + WATER_BYTES);
      water.bytes().setLong(PartitionSource.COUNT, IN_WATER);
      for (int i = 0; i < IN_WATER; i++) {
        long at = PartitionSource.HEADER_BYTES + (long) i * RECORD_BYTES;
        water.bytes().setInt(at, made * IN_WATER + i);
      }
      out.put(water);
      made++;
      return made < WATERS;
    }
  }

  private final class Spiller implements Module {
    private final Bucket bucket = new Bucket();

    @Override
    public void process(Water in, Stream out) {
      in.keep();
      bucket.add(in, IN_WATER);
    }

    @Override
    public void finish(Stream out) throws SortException {
      file.spill(bucket);
      int left = bucket.waters.size();
      assertTrue(file.bytes() >= MOST_SPILLED_BYTES, () -> file.bytes() + " bytes");
      assertTrue(file.bytes() <= MOST_SPILLED_BYTES + 2 * buffer.capacity());
      assertEquals(left, IntStream.range(0, left).filter(i -> first(i) == i * IN_WATER).count());
      assertEquals(bucket.waters.stream().mapToLong(Water::footprintBytes).sum(), bucket.heldBytes);
      assertEquals(WATERS * IN_WATER, bucket.records);
      SpillFile.Extent extent = bucket.lastExtent;
      assertNotNull(extent);
      assertEquals((long) (WATERS - left) * IN_WATER, extent.records());
      assertNull(file.read(extent, 0, buffer, 0));
      long position = extent.position() + SpillFile.HEADER_BYTES;
      for (int water = WATERS - 1; water >= left; water--, position += WATER_BYTES) {
        long lead = position % AlignedBuffer.BLOCK;
        file.read(buffer, lead, position, WATER_BYTES);
        for (int i = 0; i < IN_WATER; i++) {
          int number = buffer.bytes().getInt(lead + (long) i * RECORD_BYTES);
          assertEquals(water * IN_WATER + i, number);
        }
      }
      bucket.release();
    }

    private int first(int water) {
      return bucket.waters.get(water).bytes().getInt(PartitionSource.HEADER_BYTES);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-4096, 1, 4096, 8192, Long.MIN_VALUE, Long.MAX_VALUE})
  void refusesAChainThatLeadsNowhere(long position) throws Exception {
    refuses(position, 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 41, Long.MAX_VALUE, Long.MIN_VALUE})
  void refusesAChainOfImpossibleCounts(long records) throws Exception {
    refuses(0, records);
  }

  /// Others lie between, so that there would be room for it.
  @Test
  void refusesAChainOfMoreThanTheBucketHas() throws Exception {
    Bucket bucket = new Bucket();
    append(bucket, 0, 40);
    append(new Bucket(), 0, 600);
    refuses(bucket, 0, 41);
  }

  private void refuses(long position, long records) throws Exception {
    Bucket bucket = new Bucket();
    append(bucket, 0, 40);
    refuses(bucket, position, records);
  }

  private void refuses(Bucket bucket, long position, long records) throws Exception {
    append(bucket, 40, 1);
    SpillFile.Extent last = bucket.lastExtent;
    assertNotNull(last);
    SpillFile.Extent first = file.read(last, 1, buffer, 0);
    assertNotNull(first);
    assertNull(file.read(first, 40, buffer, 0));
    ByteBuffer header = ByteBuffer.allocate(SpillFile.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(position).putLong(records).flip();
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(header, last.position());
    }
    SortException damaged = assertThrows(SortException.class, () -> file.read(last, 1, buffer, 0));
    assertEquals(SortException.Kind.DATA, damaged.kind());
  }
}
