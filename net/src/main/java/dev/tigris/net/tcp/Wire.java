package dev.tigris.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// What the bytes of a connection go through: the socket itself ([PlainWire]) or TLS ([TlsWire]).
/// Nothing here waits. It belongs to one thread at a time.
interface Wire {
  SocketChannel channel();

  /// Reads; returns how many bytes, or -1 at the end of the stream. It fills `to` unless the socket
  /// has no more.
  int read(ByteBuffer to) throws IOException;

  /// Takes what it can for sending; returns how many bytes.
  int write(ByteBuffer from) throws IOException;

  /// Sends what was taken and is not on its way yet.
  void flush() throws IOException;

  /// Whether something waits for room in the socket.
  boolean isPending();

  /// Whether [#read] may return something although the socket has nothing to read.
  boolean hasMore();

  /// Whether both sides know each other: until then nothing is read or written.
  boolean isOpen();

  /// Tells the peer that nothing follows.
  void endOutput() throws IOException;

  /// Who is at the other end, if that was proved.
  @Nullable Principal peer();
}
