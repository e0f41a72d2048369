package dev.tigris.net.provider;

import dev.tigris.memory.View;
import dev.tigris.net.DataType;
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

  private @Nullable Object registration;

  /// How many ranges of posted transfers lie in it.
  private int posted;

  /// Makes a region of a view.
  public Region(View view) {
    this.view = view;
    MemorySegment memory = view.segment();
    this.segment = memory;
    this.type = DataType.of(view);
    this.array = false;
    this.mapped = view.isMapped();
  }

  /// Makes a region of an array.
  ///
  /// @throws IllegalArgumentException if the segment is no array that can be written: it may be
  ///     gone while a kernel or a device has its address
  public Region(MemorySegment array, DataType type) {
    if (array.heapBase().isEmpty()) {
      throw new IllegalArgumentException(
          "the segment is not that of an array which can be written: register a view of a Jbuf");
    }
    this.segment = array;
    this.type = type;
    this.array = true;
    this.mapped = false;
  }

  /// Whether it is an array on the heap.
  public boolean isArray() {
    return array;
  }

  /// Whether it is a file, whose pages vanish when others cut it: to read it may fail.
  public boolean isMapped() {
    return mapped;
  }

  /// Whether its pages stay in place: it is neither an array, which the collector moves, nor a
  /// file, which may be cut.
  public boolean isSteady() {
    return !array && !mapped;
  }

  /// The type of its memory.
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

  /// Returns its memory. The segment of a view holds the lease: a holder of the segment reads what
  /// was registered, or what the buffer's owner has put there since, and never memory of another
  /// buffer. It is made once: this costs a microsecond.
  public MemorySegment segment() {
    return known(segment);
  }

  /// Returns what the provider made of it; null if nothing.
  public @Nullable Object registration() {
    return registration;
  }

  /// Sets what the provider makes of it, in [Link#register]. It is dropped by [#forget].
  public void registration(@Nullable Object made) {
    registration = made;
  }

  /// The length in bytes.
  public long bytes() {
    return segment().byteSize();
  }

  /// A range of a transfer that is posted lies in it.
  void post() {
    posted++;
  }

  /// A transfer that had a range in it is complete.
  void complete() {
    posted--;
  }

  /// Whether a posted transfer names it, whose memory a provider may touch.
  public boolean isPosted() {
    return posted > 0;
  }

  /// Lets go of the memory, after [Link#deregister].
  ///
  /// @throws IllegalStateException if a posted transfer names it
  public void forget() {
    if (isPosted()) {
      throw new IllegalStateException("%d posted ranges lie in this memory".formatted(posted));
    }
    view = null;
    segment = null;
    registration = null;
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
