package dev.tigris.net.tcp;

import dev.tigris.net.provider.ByteStream;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// What the bytes of a connection go through: the socket itself ([PlainWire]) or TLS ([TlsWire]).
/// Nothing here waits. It belongs to one thread at a time.
interface Wire extends ByteStream {
  SocketChannel channel();

  /// Whether both sides know each other: until then nothing is read or written.
  boolean isOpen();

  /// The identity of the peer, if that was proved.
  @Nullable Principal peer();

  /// The socket's own bytes.
  @Override
  default int discard(ByteBuffer to) throws IOException {
    return channel().read(to);
  }

  @Override
  default void close(boolean abruptly) {
    if (abruptly) {
      try {
        channel().setOption(StandardSocketOptions.SO_LINGER, 0); // so that the peer hears of it now
      } catch (IOException alreadyLost) {
        // the peer knows
      }
    }
    TcpCarrier.closeQuietly(channel());
  }
}
