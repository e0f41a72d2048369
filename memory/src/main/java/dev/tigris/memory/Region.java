package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;

/// Memory that objects lie in: a [Container], which finds room for them, or a [RawContainer], whose
/// user says where they are. References are offsets from a region's first byte.
public abstract sealed class Region extends View permits Container, RawContainer, Tenancy {
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

  /// The lowest offset that an object can have.
  abstract long firstOffset();
}
