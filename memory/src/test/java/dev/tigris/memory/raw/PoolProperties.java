package dev.tigris.memory.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.Pages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PoolProperties {
  private record Held(long address, long bytes) {}

  /// Sizes from a byte to some megabytes; a negative number gives back one of the ranges held.
  @Provide
  Arbitrary<List<Integer>> steps() {
    Arbitrary<Integer> small = Arbitraries.integers().between(1, 5_000);
    Arbitrary<Integer> middling = Arbitraries.integers().between(1, 3 << 20);
    Arbitrary<Integer> large = Arbitraries.integers().between(1 << 20, 40 << 20);
    Arbitrary<Integer> giveBack = Arbitraries.integers().between(Integer.MIN_VALUE, -1);
    return Arbitraries.oneOf(small, middling, large, giveBack, giveBack).list().ofMaxSize(60);
  }

  @Property(tries = 60)
  void handsOutDisjointAlignedZeroRangesAndLosesNothing(@ForAll("steps") List<Integer> steps) {
    Pool pool = new Pool();
    List<Held> held = new ArrayList<>();
    NavigableMap<Long, Long> ends = new TreeMap<>();
    for (int step : steps) {
      if (step > 0) {
        long address = pool.take(step);
        assertTrue(address != 0);
        assertEquals(0, address % (step > Pool.SMALL_LIMIT_BYTES ? Pages.UNIT_BYTES : 64));
        assertDisjoint(ends, address, Pool.roundedBytes(step));
        ends.put(address, address + Pool.roundedBytes(step));
        held.add(new Held(address, step));
        assertZeroThenDirty(address, step);
      } else if (!held.isEmpty()) {
        Held back = held.remove((int) Math.floorMod((long) step, (long) held.size()));
        assertNotNull(ends.remove(back.address()));
        pool.give(back.address(), back.bytes());
      }
      pool.checkInvariants();
    }
    held.forEach(each -> pool.give(each.address(), each.bytes()));
    pool.checkInvariants();
  }

  private static void assertDisjoint(NavigableMap<Long, Long> ends, long address, long bytes) {
    Map.Entry<Long, Long> before = ends.floorEntry(address);
    assertTrue(before == null || before.getValue() <= address, "overlaps the range before");
    Long after = ends.ceilingKey(address);
    assertTrue(after == null || address + bytes <= after, "overlaps the range after");
  }

  /// Looks at the first and last page only, so that large ranges stay cheap.
  private static void assertZeroThenDirty(long address, long bytes) {
    long edge = Math.min(bytes, 4096);
    for (long at : new long[] {address, address + bytes - edge}) {
      for (long i = 0; i < edge; i++) {
        assertEquals((byte) 0, (byte) Raw.BYTE.get(Raw.GLOBAL, at + i));
      }
    }
    for (long at : new long[] {address, address + bytes - edge}) {
      Raw.range(at, edge).fill((byte) 0x55);
    }
  }

  @Property(tries = 200)
  void roundsUpByAQuarterAtTheMost(@ForAll("sizes") long bytes) {
    long rounded = Pool.roundedBytes(bytes);
    assertTrue(rounded >= bytes);
    assertTrue(rounded <= Math.max(64, bytes + bytes / 4 + 64) || bytes > Pool.SMALL_LIMIT_BYTES);
    assertEquals(rounded, Pool.roundedBytes(rounded));
  }

  @Provide
  Arbitrary<Long> sizes() {
    return Arbitraries.longs().between(1, 8L << 20);
  }
}
