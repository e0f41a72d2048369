package dev.tigris.sort;

import dev.tigris.os.NamedPipe;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// A pipe or a device that is opened when something is written to it, or all has been. To open a
/// pipe waits for its reader, who may have to write the input first.
///
/// Thread rule: one thread at a time.
final class LateFile extends OutputStream {
  private final Path path;
  private @Nullable OutputStream opened;

  LateFile(Path path) {
    this.path = path;
  }

  private OutputStream opened() throws IOException {
    OutputStream known = opened;
    if (known == null) {
      // Not Files.newOutputStream, whose channel does not see an interrupt.
      known = Channels.newOutputStream(NamedPipe.open(path, StandardOpenOption.WRITE));
      opened = known;
    }
    return known;
  }

  @Override
  public void write(int b) throws IOException {
    opened().write(b);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    opened().write(bytes, from, length);
  }

  @Override
  public void flush() throws IOException {
    opened().flush();
  }

  @Override
  public void close() throws IOException {
    OutputStream known = opened;
    if (known != null) {
      known.close();
    }
  }
}
