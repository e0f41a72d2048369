package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.ref.Reference;
import java.util.Objects;

/// Memory that objects lie in. A [Container] allocates them. In a [RawContainer], the caller says
/// where they lie. References are offsets from a region's first byte.
public abstract sealed class Region extends View permits Container, RawContainer, Tenancy {
  /// Up to this many bytes are zeroed word by word.
  static final long FEW_BYTES = 128;

  /// The home that objects share which remember nothing of their own.
  final PsoHome home = new PsoHome(this, false, null);

  /// The same for the objects of cursors.
  final PsoHome movingHome = new PsoHome(this, true, home);

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
    zeroFew((address & Raw.ADDRESS_MASK) + offset, (int) count);
    Reference.reachabilityFence(this);
  }

  /// Most objects have as many bytes as the last one, so that each branch is foreseen. A loop of so
  /// few steps costs several times as much. All stores stand in this method: with more than 325
  /// bytes (`FreqInlineSize`), C2 calls it. Where it were copied to each place that makes an
  /// object, methods would soon be too large for C2 to inline anything.
  private static void zeroFew(long from, int count) {
    long at = from;
    if ((count & 128) != 0) {
      Raw.LONG.set(Raw.GLOBAL, at, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 8, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 16, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 24, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 32, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 40, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 48, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 56, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 64, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 72, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 80, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 88, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 96, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 104, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 112, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 120, 0L);
      at += 128;
    }
    if ((count & 64) != 0) {
      Raw.LONG.set(Raw.GLOBAL, at, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 8, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 16, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 24, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 32, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 40, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 48, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 56, 0L);
      at += 64;
    }
    if ((count & 32) != 0) {
      Raw.LONG.set(Raw.GLOBAL, at, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 8, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 16, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 24, 0L);
      at += 32;
    }
    if ((count & 16) != 0) {
      Raw.LONG.set(Raw.GLOBAL, at, 0L);
      Raw.LONG.set(Raw.GLOBAL, at + 8, 0L);
      at += 16;
    }
    if ((count & 8) != 0) {
      Raw.LONG.set(Raw.GLOBAL, at, 0L);
    }
  }

  /// Returns the container that allocates the objects of this region.
  Container allocator() {
    throw new IllegalStateException("nothing allocates objects in " + this);
  }

  /// Returns the lowest offset that an object can have.
  abstract long firstOffset();
}
