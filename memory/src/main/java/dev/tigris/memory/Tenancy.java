package dev.tigris.memory;

/// What the objects of a container hold in its place with `-Dtigris.check=leases`: the time from
/// one [Container#clear] to the next, as a lease within the container's own.
final class Tenancy extends Region {
  Tenancy(Container container) {
    super(container.lease.within(), container.address, container.capacityBytes());
  }

  @Override
  long firstOffset() {
    return Container.HEADER_BYTES;
  }
}
