package dev.tigris.memory;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// Thrown with `-Dtigris.check=leases` when an object or a view is used after its memory was
/// reused. The cause is the place that gave the memory to its next user.
public final class RecycledException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  RecycledException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
