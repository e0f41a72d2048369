package dev.tigris.memory;

/// The region that a container's objects hold instead of the container with
/// `-Dtigris.check=leases`. It has a lease within the container's own, which ends at the next
/// [Container#clear].
final class Tenancy extends Region {
  private final Container whole;

  Tenancy(Container container) {
    super(container.lease.within(), container.address, container.capacityBytes());
    this.whole = container;
  }

  @Override
  Container allocator() {
    return whole;
  }

  @Override
  boolean isStrict() {
    return whole.isStrict();
  }

  @Override
  long firstOffset() {
    return Container.HEADER_BYTES;
  }
}
