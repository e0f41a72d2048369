package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// Buffers of one size, registered with a device where it wants that. They are made some at a time
/// and kept until the device is closed.
///
/// Conserved: buffers made = spare + posted to the library + held by links.
final class Buffers {
  private static final int ALIGNMENT = 64;

  private final Arena arena;
  private final Device device;
  private final boolean registered;
  private final int prefix;
  private final int bytes;
  private final int atATime;
  private final ArrayDeque<Buffer> spare = new ArrayDeque<>();
  private final List<Long> registrations = new ArrayList<>();

  /// @param prefix the bytes before a packet
  /// @param bytes those of a packet
  Buffers(Arena arena, Device device, boolean registered, int prefix, int bytes, int atATime) {
    this.arena = arena;
    this.device = device;
    this.registered = registered;
    this.prefix = prefix;
    this.bytes = bytes;
    this.atATime = atATime;
  }

  Buffer take() {
    if (spare.isEmpty()) {
      make();
    }
    return spare.pop();
  }

  void giveBack(Buffer buffer) {
    spare.push(buffer);
  }

  /// Whether a buffer is one of these.
  boolean made(Buffer buffer) {
    return buffer.memory().byteSize() == bytes;
  }

  private void make() {
    int size = prefix + bytes;
    MemorySegment slab = arena.allocate((long) size * atATime, ALIGNMENT);
    long descriptor = 0;
    if (registered) {
      long registration = device.register(slab.address(), slab.byteSize(), false, false);
      if (registration < 0) {
        throw Failures.of("register memory with", "the device", device, (int) -registration);
      }
      registrations.add(registration);
      descriptor = Device.descriptor(registration);
    }
    for (int i = 0; i < atATime; i++) {
      MemorySegment whole = slab.asSlice((long) i * size, size);
      spare.push(new Buffer(whole.asSlice(prefix), whole, whole.address(), descriptor));
    }
  }

  /// Ends the registrations: nothing is posted any more.
  void close() {
    registrations.forEach(device::deregister);
  }
}
