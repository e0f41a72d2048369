package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.util.Objects;

/// Memory that objects lie in: a [Container], which finds room for them, or a [RawContainer], whose
/// user says where they are. References are offsets from a region's first byte.
public abstract sealed class Region extends View permits Container, RawContainer, Tenancy {
  /// Up to so many are zeroed one after the other.
  private static final long FEW_BYTES = 128;

  /// What the objects share that remember nothing of their own.
  final PsoHome home = new PsoHome(this, false);

  /// The same for the objects of cursors.
  final PsoHome movingHome = new PsoHome(this, true);

  Region(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
    if ((address & 7) != 0) {
      throw new IllegalArgumentException("a container begins at a multiple of eight bytes");
    }
    if (address < Raw.ORIGIN) {
      throw new IllegalStateException(
          "memory at address %d lies too low for objects".formatted(address));
    }
  }

  /// What objects that are put or found here now hold of it.
  final Region forObjects() {
    return Lease.CHECKED ? tenancy() : this;
  }

  Region tenancy() {
    return this;
  }

  /// Fills so many bytes with zeros: a multiple of eight, as the offset is.
  ///
  /// Without a segment for a few bytes: until C2 has compiled this, one would come to lie between
  /// each two new objects, and loops over these would be slower for as long as they stay there.
  final void zero(long offset, long count) {
    if (count > FEW_BYTES) {
      raw(offset, count).fill((byte) 0);
      return;
    }
    checkLease();
    Objects.checkFromIndexSize(offset, count, capacityBytes());
    for (long at = offset; at < offset + count; at += Long.BYTES) {
      Raw.LONG.set(Raw.GLOBAL, address + at, 0L);
    }
    Reference.reachabilityFence(this);
  }

  /// The lowest offset that an object can have.
  abstract long firstOffset();
}
