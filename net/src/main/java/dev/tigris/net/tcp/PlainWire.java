package dev.tigris.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// A socket as it is.
record PlainWire(SocketChannel channel) implements Wire {
  @Override
  public int read(ByteBuffer to) throws IOException {
    return channel.read(to);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return channel.write(from);
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void endOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public @Nullable Principal peer() {
    return null;
  }
}
