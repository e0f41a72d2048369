package dev.tigris.net.provider;

import org.jspecify.annotations.Nullable;

/// Memory of a transfer is gone: it lies in a file that was cut while it was mapped.
public final class LostMemoryException extends BreakingException {
  private static final long serialVersionUID = 1;

  /// Makes one.
  ///
  /// @param cause what HotSpot has made of a page that was not there; null if the kernel has told
  public LostMemoryException(@Nullable Throwable cause) {
    super(
        "memory of a message is gone: the file that is mapped there was made shorter; map it anew",
        cause);
  }
}
