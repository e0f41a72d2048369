package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.util.Objects;

/// Memory that objects lie in. A [Container] allocates them. In a [RawContainer], the caller says
/// where they lie. References are offsets from a region's first byte.
public abstract sealed class Region extends View permits Container, RawContainer, Tenancy {
  /// Up to this many bytes are zeroed word by word.
  private static final long FEW_BYTES = 128;

  /// The home that objects share which remember nothing of their own.
  final PsoHome home = new PsoHome(this, false);

  /// The same for the objects of cursors.
  final PsoHome movingHome = new PsoHome(this, true);

  /// Whether [#refuseForeignReferences] was called.
  private volatile boolean strict;

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

  /// Lets the objects of this region refer to each other only: from now on, a store of a reference
  /// to an object of another container throws [IllegalArgumentException]. Otherwise the Java object
  /// that it is stored in keeps it, and all others, a copy of the bytes too, have null there. A
  /// region over a file always refuses it, because [Jbuf#flush] would lose it without a word; a
  /// [Mapping#SNAPSHOT] is memory, which no flush writes.
  public final void refuseForeignReferences() {
    strict = true;
  }

  /// Whether a reference to an object of another container is refused.
  boolean isStrict() {
    return strict || lease.jbuf.isMapped();
  }

  /// Refuses to keep an object of another container for a reference.
  ///
  /// @param where names the reference in the message
  final void refuseForeign(String where) {
    if (isStrict()) {
      String why =
          lease.jbuf.isMapped() ? "lies over a file, which would have null there" : "refuses that";
      throw new IllegalArgumentException(
          "%s cannot refer to an object of another container, because its own %s: copy the object into that container"
              .formatted(where, why));
    }
  }

  /// Returns what to throw for a place that does not lie in this region: the bytes are damaged,
  /// unless another process has made the file larger, and uses what is not mapped here.
  final RuntimeException unlessOutgrown(RuntimeException corrupt) {
    FileMapping file = lease.jbuf.mappedFile();
    return file != null && file.isOutgrown()
        ? new OutgrownMappingException(file.path, capacityBytes())
        : corrupt;
  }

  /// Returns what objects hold that are made or recovered here now.
  final Region forObjects() {
    return Lease.CHECKED ? tenancy() : this;
  }

  Region tenancy() {
    return this;
  }

  /// Fills `count` bytes with zeros. The offset and the count are multiples of eight.
  ///
  /// A few bytes are zeroed without a segment. Until C2 has compiled this, a segment would lie
  /// between each two new objects on the heap, and loops over those would stay slower.
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

  /// Returns the lowest offset that an object can have.
  abstract long firstOffset();
}
