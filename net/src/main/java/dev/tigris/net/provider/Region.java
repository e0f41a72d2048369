package dev.tigris.net.provider;

import dev.tigris.memory.View;
import dev.tigris.net.DataType;
import dev.tigris.os.LastingMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A view registered with one link. It holds the view, and with it the buffer's lease: the memory
/// can be neither freed nor used as another type until the last registration is gone. Or an array
/// on the heap, which has no address, for links that take those.
public final class Region {
  private @Nullable View view;
  private @Nullable MemorySegment segment;
  private final DataType type;
  private final boolean array;
  private final boolean mapped;
  private final @Nullable LastingMemory lasting;

  /// What the provider made of it; set by [Link#register].
  public @Nullable Object registered;

  /// Makes a region of a view.
  public Region(View view) {
    this.view = view;
    MemorySegment memory = view.segment();
    this.segment = memory;
    this.type = DataType.of(view);
    this.array = false;
    this.mapped = view.isMapped();
    this.lasting = LastingMemory.of(memory);
  }

  /// Makes a region of an array.
  public Region(MemorySegment array, DataType type) {
    this.segment = array;
    this.type = type;
    this.array = true;
    this.mapped = false;
    this.lasting = null;
  }

  /// Whether it is an array on the heap.
  public boolean isArray() {
    return array;
  }

  /// Whether it is a file, whose pages vanish when others cut it: to read it may fail.
  public boolean isMapped() {
    return mapped;
  }

  /// Whether its pages stay where they are, whatever others do: it is no array, which the collector
  /// moves, and no file, which may be cut.
  public boolean isSteady() {
    return !array && !mapped;
  }

  /// What it consists of.
  public DataType type() {
    return type;
  }

  /// Refuses if the memory of a view is to be unreferenced. Not after [#forget].
  ///
  /// @throws dev.tigris.memory.ReferencedException if it is
  public void requireReferenced() {
    View held = view;
    if (held != null) {
      held.requireReferenced();
    }
  }

  /// The view or the array.
  public Object memory() {
    return array ? segment().heapBase().orElseThrow() : view();
  }

  /// The view; of those that are no array.
  public View view() {
    return known(view);
  }

  /// Its memory, made once: this costs a microsecond.
  public MemorySegment segment() {
    return known(segment);
  }

  /// The same without the view, for copying while that is registered; null of arrays.
  @Nullable LastingMemory lasting() {
    return lasting;
  }

  /// Its length.
  public long bytes() {
    return segment().byteSize();
  }

  /// Lets go of the memory, after [Link#deregister].
  public void forget() {
    view = null;
    segment = null;
    registered = null;
  }

  private static <T> T known(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException(
          "the memory is no longer registered: its tickets were given back, or its interface was"
              + " closed, whose descriptors come back FLUSHED afterwards and cannot be used again");
    }
    return part;
  }
}
