package dev.tigris.message;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A Unix socket between a process and the name server of its machine.
///
/// @param channel to it
/// @param server where the server listens; null if the channel is connected
record UnixNameSocket(SocketChannel channel, @Nullable UnixDomainSocketAddress server)
    implements NameConnection.Socket {
  static UnixNameSocket to(Path path) throws IOException {
    return new UnixNameSocket(
        SocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(path));
  }

  @Override
  public void connect() throws IOException {
    if (server != null) {
      boolean _ = channel.connect(server);
    }
  }

  @Override
  public int read(byte[] to, int at, int length) throws IOException {
    return channel.read(ByteBuffer.wrap(to, at, length));
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    ByteBuffer output = ByteBuffer.wrap(bytes);
    while (output.hasRemaining()) {
      int _ = channel.write(output);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
