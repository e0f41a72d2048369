package dev.tigris.net.provider;

import dev.tigris.memory.View;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A view registered with one link. It holds the view, and with it the buffer's lease: the memory
/// can be neither freed nor used as another type until the last registration is gone.
public final class Region {
  private @Nullable View view;
  private @Nullable MemorySegment segment;

  /// What the provider made of it; set by [Link#register].
  public @Nullable Object registered;

  /// Makes a region of a view.
  public Region(View view) {
    this.view = view;
    this.segment = view.segment();
  }

  /// The view.
  public View view() {
    return known(view);
  }

  /// Its memory, made once: this costs a microsecond.
  public MemorySegment segment() {
    return known(segment);
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
      throw new IllegalStateException("the memory is no longer registered");
    }
    return part;
  }
}
