package dev.tigris.sort;

import dev.tigris.flow.mirror.Mirror;
import dev.tigris.flow.mirror.MirrorFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;

/// An input that is a mirrored data set.
final class MirrorParts implements InputParts {
  private final MirrorFile file;

  MirrorParts(Mirror mirror) throws IOException {
    file = mirror.openFile();
  }

  @Override
  public boolean read(AlignedBuffer buffer, long from, long to, long position) throws IOException {
    ByteBuffer window = buffer.window(from, to);
    try {
      return to == from || file.read(window, position + from) == to - from;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public void close() {
    file.close();
  }
}
