package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.provider.SpareBuffers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Buffers of one size, registered with a device where it wants that. They are made a slab at a
/// time. Those of the first slabs are used first, so that the last ones become free again after a
/// moment in which many were needed: such a slab is let go when it was not needed for a while.
///
/// Conserved: buffers made = spare + posted to the library + held by links.
///
/// Time is an argument.
final class Buffers {
  private static final int ALIGNMENT = 64;

  private final Device device;
  private final boolean registered;
  private final int prefix;
  private final int bytes;
  private final int atATime;

  /// By index; null where one was let go.
  private final List<@Nullable Slab> slabs = new ArrayList<>();

  /// Which of them have spare buffers.
  private final BitSet withSpare = new BitSet();

  private int spareCount;

  /// How many were spare at least since the last look.
  private int fewest;

  private long lookedAt;

  /// Some buffers in one piece of memory, which the library may touch while one of them is not
  /// spare.
  private record Slab(Arena arena, long registration, ArrayDeque<Buffer> spare) {}

  /// @param prefix the bytes before a packet
  /// @param bytes those of a packet
  /// @param atATime how many buffers a slab has
  Buffers(Device device, boolean registered, int prefix, int bytes, int atATime, long nowNanos) {
    this.device = device;
    this.registered = registered;
    this.prefix = prefix;
    this.bytes = bytes;
    this.atATime = atATime;
    this.lookedAt = nowNanos;
  }

  Buffer take() {
    int index = withSpare.nextSetBit(0);
    if (index < 0) {
      index = make();
    }
    ArrayDeque<Buffer> spare = slab(index).spare;
    Buffer buffer = spare.pop();
    if (spare.isEmpty()) {
      withSpare.clear(index);
    }
    spareCount--;
    fewest = Math.min(fewest, spareCount);
    return buffer;
  }

  void giveBack(Buffer buffer) {
    slab(buffer.slab()).spare.push(buffer);
    withSpare.set(buffer.slab());
    spareCount++;
  }

  /// Whether a buffer is one of these.
  boolean made(Buffer buffer) {
    return buffer.memory().byteSize() == bytes;
  }

  private Slab slab(int index) {
    return Objects.requireNonNull(slabs.get(index));
  }

  /// Makes a slab; returns its index, the lowest that is free.
  private int make() {
    int index = slabs.indexOf(null);
    if (index < 0) {
      index = slabs.size();
      slabs.add(null);
    }
    int size = prefix + bytes;
    Arena arena = Arena.ofConfined();
    MemorySegment memory = arena.allocate((long) size * atATime, ALIGNMENT);
    long registration = 0;
    long descriptor = 0;
    if (registered) {
      registration = device.register(memory.address(), memory.byteSize(), false, false);
      if (registration < 0) {
        arena.close();
        throw Failures.of("register memory with", "the device", device, (int) -registration);
      }
      descriptor = Device.descriptor(registration);
    }
    ArrayDeque<Buffer> spare = new ArrayDeque<>(atATime);
    for (int i = 0; i < atATime; i++) {
      MemorySegment whole = memory.asSlice((long) i * size, size);
      spare.push(new Buffer(whole.asSlice(prefix), whole, whole.address(), descriptor, index));
    }
    slabs.set(index, new Slab(arena, registration, spare));
    withSpare.set(index);
    spareCount += atATime;
    return index;
  }

  /// Lets go of slabs that were not needed, if it is time to; one stays spare.
  void look(long nowNanos) {
    if (nowNanos - lookedAt < SpareBuffers.PERIOD_NANOS) {
      return;
    }
    lookedAt = nowNanos;
    int surplus = fewest / atATime - 1;
    for (int i = slabs.size() - 1; i >= 0 && surplus > 0; i--) {
      Slab slab = slabs.get(i);
      if (slab != null && slab.spare.size() == atATime) {
        letGo(i, slab);
        surplus--;
      }
    }
    fewest = spareCount;
  }

  private void letGo(int index, Slab slab) {
    if (registered) {
      device.deregister(slab.registration);
    }
    slab.arena.close();
    slabs.set(index, null);
    withSpare.clear(index);
    spareCount -= atATime;
  }

  /// How many there are, spare or not.
  int count() {
    return atATime * (int) slabs.stream().filter(Objects::nonNull).count();
  }

  /// Lets go of all: nothing is posted any more.
  void close() {
    for (int i = 0; i < slabs.size(); i++) {
      Slab slab = slabs.get(i);
      if (slab != null) {
        letGo(i, slab);
      }
    }
  }

  void checkInvariants() {
    int spare = 0;
    for (int i = 0; i < slabs.size(); i++) {
      Slab slab = slabs.get(i);
      int there = slab == null ? 0 : slab.spare.size();
      if (there > atATime || withSpare.get(i) != there > 0) {
        throw new IllegalStateException(
            "slab %d has %d spare buffers of %d".formatted(i, there, atATime));
      }
      spare += there;
    }
    if (spare != spareCount) {
      throw new IllegalStateException(spare + " are spare, and counted are " + spareCount);
    }
  }
}
