package dev.tigris.memory;

import java.io.Serial;
import java.nio.file.Path;

/// Thrown when another process has made a [Mapping#SHARED] file larger since it was mapped here,
/// and its objects lie in the part that this process has not mapped. Nothing is damaged: map the
/// file again.
public final class OutgrownMappingException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  OutgrownMappingException(Path file, long bytes) {
    super(
        "another process has made %s larger, and uses more than the %d bytes that are mapped here: map the file again"
            .formatted(file, bytes));
  }
}
