package dev.tigris.memory;

import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The access that this package gives to the packages of schemas and of Arrow.
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
  public @Nullable Container container(Pso object) {
    object.requireConstructed();
    return object.container() instanceof RawContainer ? null : object.container().allocator();
  }

  @Override
  public long offset(Pso object) {
    object.requireConstructed();
    return object.offset();
  }

  @Override
  public Jbuf jbuf(View view) {
    return view.lease.jbuf;
  }

  @Override
  public void copy(Pso object, long bytes, Container into, long at) {
    object.requireConstructed();
    Region from = object.container();
    Objects.checkFromIndexSize(object.offset(), bytes, from.capacityBytes());
    Objects.checkFromIndexSize(at, bytes, into.capacityBytes());
    Pso.checkLease(object);
    into.checkLease();
    // SAFETY: both ranges lie in their regions, by the checks before, and the fences keep these.
    MemorySegment.copy(
        Raw.GLOBAL, object.masked(), Raw.GLOBAL, (into.address & Raw.ADDRESS_MASK) + at, bytes);
    Reference.reachabilityFence(object);
    Reference.reachabilityFence(into);
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

  @Override
  public List<String> constantNames(Class<? extends Enum<?>> type) {
    EnumCodes _ = EnumCodes.of(type); // refuses two that cannot be told apart
    return EnumCodes.namesOf(type).toList();
  }

  @Override
  public Class<? extends Pso> elementType(PsoTable<?> table) {
    return table.type();
  }

  @Override
  public MemorySegment elements(PsoTable<?> table, long from, long most) {
    return table.together(from, most);
  }

  @Override
  public void reserve(PsoTable<?> table, long from, long count) {
    table.reserve(from, count);
  }

  @Override
  public void sized(PsoTable<?> table, long elements) {
    table.sized(elements);
  }
}
