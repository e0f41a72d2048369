package dev.tigris.memory;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// An object or a view was used after its memory had been used again for something else. Thrown
/// with `-Dtigris.check=leases` only; the cause says who used it again.
public final class RecycledException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  RecycledException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
