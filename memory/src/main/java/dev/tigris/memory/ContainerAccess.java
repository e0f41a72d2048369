package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What this package lets the package of schemas do.
final class ContainerAccess implements ObjectAccess {
  @Override
  public long address(Container container) {
    container.checkLease();
    return container.address & Raw.ADDRESS_MASK;
  }

  @Override
  public MemorySegment bytes(Container container, long offset, long bytes) {
    return container.raw(offset, bytes);
  }

  @Override
  public String explainFault(Container container) {
    FileMapping mapped = container.lease.jbuf.mappedFile();
    return mapped == null ? "a page of memory is not there" : mapped.explainFault();
  }

  @Override
  public long allocate(Container container, long bytes) {
    return container.allocate(bytes);
  }

  @Override
  public long rootOffset(Container container) {
    return container.rootOffset();
  }

  @Override
  public void rootOffset(Container container, long offset) {
    container.rootOffset(offset);
  }

  @Override
  public @Nullable Primitive elementOf(byte letter) {
    return PsoArray.elementOf(letter);
  }

  @Override
  public void requireListElement(Class<? extends Pso> type) {
    PsoCollection.requireElement(type);
  }

  @Override
  public void requireTableElement(Class<? extends Pso> type) {
    PsoTable.requireTableElement(type);
  }

  @Override
  public Set<Integer> constantCodes(Class<? extends Enum<?>> type) {
    return EnumCodes.all(type);
  }
}
