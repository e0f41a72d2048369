package dev.tigris.memory;

/// A region without a header, in which objects lie at offsets that the caller gives: records of a
/// foreign file, structures of a device, messages.
///
/// ```java
/// RawContainer records = Jbuf.map(Path.of("trades"), Mapping.PRIVATE).asRawContainer();
/// PsoCursor<Trade> trades = records.cursor(0, records.capacityBytes() / 64, Trade.class);
/// while (trades.next()) {
///   sum += trades.element().quantity;
/// }
/// ```
///
/// [Jbuf#mapDevice] lays one over a device, or over a segment that programs in other languages
/// share, and says in what order each side sees what the other stores.
///
/// Only the class that is laid over the bytes says what they mean. Objects lie at multiples of
/// eight. A reference to the object at offset 0 cannot be stored, because 0 means null.
///
/// Thread rule: plain memory.
public final class RawContainer extends Region {
  RawContainer(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
  }

  @Override
  long firstOffset() {
    return 0;
  }

  /// Returns an object for the bytes at an offset. Each call makes another object for the same
  /// place.
  ///
  /// @throws IndexOutOfBoundsException if the object does not lie in this region as a whole
  /// @throws IllegalArgumentException if the offset is not a multiple of eight, or objects of the
  ///     class differ in size
  public <T extends Pso> T at(long offset, Class<T> type) {
    PsoClass target = check(offset, type, 1);
    return type.cast(target.bind(PsoBinding.checked(target, this, offset)));
  }

  /// Returns a cursor over `count` objects that lie one after the other from an offset on; errors
  /// as for [#at].
  public <T extends Pso> PsoCursor<T> cursor(long offset, long count, Class<T> type) {
    int strideBytes = check(offset, type, count).layout().sizeBytes();
    return new PsoCursor<>(this, type, offset, strideBytes, 0, count);
  }

  private PsoClass check(long offset, Class<? extends Pso> type, long count) {
    if (PsoCollection.hasVaryingSize(type)) {
      throw new IllegalArgumentException(
          "objects of %s differ in size: they need a container".formatted(type.getSimpleName()));
    }
    PsoClass target = PsoClass.of(type);
    int sizeBytes = target.layout().sizeBytes();
    boolean isInside =
        offset >= 0
            && offset <= capacityBytes()
            && count >= 0
            && count <= (capacityBytes() - offset) / sizeBytes;
    if (!isInside) {
      throw new IndexOutOfBoundsException(
          "%d objects of %d bytes at %d do not fit %d bytes"
              .formatted(count, sizeBytes, offset, capacityBytes()));
    }
    if ((offset & 7) != 0) {
      throw new IllegalArgumentException(
          "an object cannot lie at %d, which is not a multiple of eight".formatted(offset));
    }
    return target;
  }
}
