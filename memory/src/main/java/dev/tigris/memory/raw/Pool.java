package dev.tigris.memory.raw;

import dev.tigris.os.NativeAccess;
import dev.tigris.os.Pages;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Ranges of memory, handed out and taken back; what is handed out is zero.
///
/// Two kinds of range. *Small* ones (up to [#SMALL_LIMIT_BYTES]) come in size classes, four to a
/// power of two, so that rounding wastes a fifth at the most; each class keeps a stack of free
/// ranges, which are cleared as they are handed out again. *Large* ones are whole
/// [Pages#UNIT_BYTES] units in an address-ordered map of free ranges that coalesces neighbours;
/// their physical memory goes back to the operating system when they are freed.
///
/// ```
///   bytes held by callers + free small bytes + uncarved rest of the slab + free large bytes
///     = bytes ever mapped
/// ```
///
/// Thread rule: all methods are synchronized; no caller code runs inside.
public final class Pool {
  /// Ranges up to this size come from size classes.
  public static final long SMALL_LIMIT_BYTES = 1L << 20;

  private static final long LARGEST_BYTES = Long.MAX_VALUE & -Pages.UNIT_BYTES;
  private static final long GRAIN_BYTES = 64;
  private static final long SLAB_BYTES = 2 * Pages.UNIT_BYTES;
  private static final long GROWTH_BYTES = 32 * Pages.UNIT_BYTES;
  private static final NativeAccess ACCESS = NativeAccess.of(new Trial());
  private static final int CLASSES = sizeClass(SMALL_LIMIT_BYTES) + 1;

  private final List<Stack> free = new ArrayList<>(CLASSES);
  private final TreeMap<Long, Large> freeLarge = new TreeMap<>();
  private long slabNext;
  private long slabEnd;
  private long mappedBytes;
  private long heldBytes;

  /// A free large range; `zero` says that it needs no clearing.
  private record Large(long bytes, boolean zero) {}

  public Pool() {
    for (int i = 0; i < CLASSES; i++) {
      free.add(new Stack());
    }
  }

  /// Returns how many bytes a request really takes, never fewer than `bytes`. A request that is too
  /// large to be rounded gives the largest number of whole units, which is never granted.
  public static long roundedBytes(long bytes) {
    return bytes <= SMALL_LIMIT_BYTES ? classBytes(sizeClass(bytes)) : unitBytes(bytes);
  }

  /// Returns the address of `roundedBytes(bytes)` zero bytes, aligned to 64 (large: to 2 MiB), or
  /// 0 where the operating system has no more.
  public synchronized long take(long bytes) {
    if (bytes > SMALL_LIMIT_BYTES) {
      return takeUnits(bytes);
    }
    long rounded = roundedBytes(bytes);
    long address = takeSmall(bytes, rounded);
    if (address != 0) {
      heldBytes += rounded;
    }
    return address;
  }

  /// Takes whole units, for memory that something else is laid over; otherwise as [#take].
  public synchronized long takeUnits(long bytes) {
    long rounded = unitBytes(bytes);
    long address = takeLarge(rounded);
    if (address != 0) {
      heldBytes += rounded;
    }
    return address;
  }

  /// How many bytes there are in the units for a request.
  public static long unitBytes(long bytes) {
    return bytes > LARGEST_BYTES
        ? LARGEST_BYTES
        : (bytes + Pages.UNIT_BYTES - 1) & -Pages.UNIT_BYTES;
  }

  /// Takes back what `take(bytes)` returned.
  public synchronized void give(long address, long bytes) {
    if (bytes > SMALL_LIMIT_BYTES) {
      giveUnits(address, bytes, Pages.discard(address, unitBytes(bytes)));
      return;
    }
    heldBytes -= roundedBytes(bytes);
    free.get(sizeClass(bytes)).push(address);
  }

  /// Takes back what `takeUnits(bytes)` returned.
  ///
  /// @param zero whether it reads as zeros
  public synchronized void giveUnits(long address, long bytes, boolean zero) {
    long rounded = unitBytes(bytes);
    heldBytes -= rounded;
    giveLarge(address, new Large(rounded, zero));
  }

  /// Gives up what `takeUnits(bytes)` returned: it is never handed out again.
  public synchronized void forgetUnits(long bytes) {
    heldBytes -= unitBytes(bytes);
    mappedBytes -= unitBytes(bytes);
  }

  private long takeSmall(long bytes, long rounded) {
    Stack stack = free.get(sizeClass(bytes));
    if (!stack.isEmpty()) {
      long address = stack.pop();
      clear(address, rounded);
      return address;
    }
    if (slabEnd - slabNext < rounded) {
      recycleSlabRest();
      long slab = takeLarge(SLAB_BYTES);
      if (slab == 0) {
        return 0;
      }
      slabNext = slab;
      slabEnd = slab + SLAB_BYTES;
    }
    long address = slabNext;
    slabNext += rounded;
    return address;
  }

  /// Word by word where that is quicker than a call.
  private static void clear(long address, long bytes) {
    if (bytes > 16 * GRAIN_BYTES) {
      Raw.range(address, bytes).fill((byte) 0);
      return;
    }
    for (long offset = 0; offset < bytes; offset += Long.BYTES) {
      Raw.LONG.set(Raw.GLOBAL, (address & Raw.ADDRESS_MASK) + offset, 0L);
    }
  }

  /// Cuts what is left of a slab into the largest classes that fit, so that nothing is lost.
  private void recycleSlabRest() {
    while (slabEnd - slabNext >= GRAIN_BYTES) {
      int largest = sizeClass(slabEnd - slabNext);
      if (classBytes(largest) > slabEnd - slabNext) {
        largest--;
      }
      free.get(largest).push(slabNext);
      slabNext += classBytes(largest);
    }
  }

  private long takeLarge(long bytes) {
    Map.Entry<Long, Large> best = null;
    for (Map.Entry<Long, Large> entry : freeLarge.entrySet()) {
      long size = entry.getValue().bytes();
      if (size >= bytes && (best == null || size < best.getValue().bytes())) {
        best = entry;
      }
    }
    if (best == null) {
      ACCESS.require();
      long grown = Math.max(bytes, GROWTH_BYTES);
      long address = Pages.map(grown);
      if (address == 0) {
        return 0;
      }
      mappedBytes += grown;
      giveLarge(address, new Large(grown, true));
      return takeLarge(bytes);
    }
    long address = best.getKey();
    Large found = best.getValue();
    if (found.bytes() > bytes) { // first, since there may be no memory for it
      freeLarge.put(address + bytes, new Large(found.bytes() - bytes, found.zero()));
    }
    freeLarge.remove(address);
    if (!found.zero()) {
      Raw.range(address, bytes).fill((byte) 0);
    }
    return address;
  }

  private void giveLarge(long address, Large range) {
    long from = address;
    Large joined = range;
    Map.Entry<Long, Large> before = freeLarge.lowerEntry(address);
    if (before != null && before.getKey() + before.getValue().bytes() == address) {
      from = before.getKey();
      joined = join(before.getValue(), range);
    }
    Large after = freeLarge.get(address + range.bytes());
    freeLarge.put(from, after == null ? joined : join(joined, after));
    if (after != null) {
      freeLarge.remove(address + range.bytes());
    }
  }

  private static Large join(Large left, Large right) {
    return new Large(left.bytes() + right.bytes(), left.zero() && right.zero());
  }

  /// Classes are 1, 2, 3, 4 grains, then four to each power of two: 5, 6, 7, 8, 10, 12, 14, 16, ...
  private static int sizeClass(long bytes) {
    long grains = Math.max(1, (bytes + GRAIN_BYTES - 1) / GRAIN_BYTES);
    if (grains <= 4) {
      return (int) grains - 1;
    }
    int power = 63 - Long.numberOfLeadingZeros(grains - 1);
    return 4 * (power - 1) + (int) ((grains - 1) >>> (power - 2)) - 4;
  }

  private static long classBytes(int sizeClass) {
    if (sizeClass < 4) {
      return (sizeClass + 1) * GRAIN_BYTES;
    }
    int power = sizeClass / 4 + 1;
    return (long) (sizeClass % 4 + 5) << (power - 2) << 6;
  }

  /// Checks, for tests, the equation in the class comment, and that no free large ranges touch or
  /// overlap.
  public synchronized void checkInvariants() {
    long freeSmallBytes = 0;
    for (int i = 0; i < CLASSES; i++) {
      freeSmallBytes += free.get(i).size() * classBytes(i);
    }
    long freeLargeBytes = 0;
    long end = 0;
    for (Map.Entry<Long, Large> entry : freeLarge.entrySet()) {
      if (entry.getKey() <= end) {
        throw new IllegalStateException("free ranges touch or overlap at " + entry.getKey());
      }
      end = entry.getKey() + entry.getValue().bytes();
      freeLargeBytes += entry.getValue().bytes();
    }
    long rest = slabEnd - slabNext;
    if (heldBytes + freeSmallBytes + rest + freeLargeBytes != mappedBytes) {
      throw new IllegalStateException(
          "held %d + free small %d + slab rest %d + free large %d != mapped %d"
              .formatted(heldBytes, freeSmallBytes, rest, freeLargeBytes, mappedBytes));
    }
  }

  // SAFETY: bounds: the segment stays empty; lifetime, thread: it is dropped at once.
  private static final class Trial implements Runnable {
    @Override
    @SuppressWarnings("restricted")
    public void run() {
      MemorySegment _ = MemorySegment.NULL.reinterpret(0);
    }
  }

  /// A stack of addresses that grows and never shrinks: bounded by the ranges ever carved.
  private static final class Stack {
    private long[] addresses = new long[8];
    private int size;

    boolean isEmpty() {
      return size == 0;
    }

    int size() {
      return size;
    }

    void push(long address) {
      if (size == addresses.length) {
        addresses = Arrays.copyOf(addresses, 2 * size);
      }
      addresses[size++] = address;
    }

    long pop() {
      return addresses[--size];
    }
  }
}
