package dev.tigris.net.provider;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A stream of bytes to a peer, and one from it: what a [StreamLink] exchanges messages over.
/// Nothing here waits.
///
/// *This interface may still change between minor versions.*
public interface ByteStream {
  /// Reads. It fills `to`, unless there is no more.
  ///
  /// @return how many bytes, or -1 at the end of the stream
  int read(ByteBuffer to) throws IOException;

  /// Takes what it can for sending; returns how many bytes.
  int write(ByteBuffer from) throws IOException;

  /// Sends what was taken and is not on its way yet.
  default void flush() throws IOException {}

  /// Whether something that was taken waits for room.
  default boolean isPending() {
    return false;
  }

  /// Whether [#read] may return something of which nothing else tells.
  default boolean hasMore() {
    return false;
  }

  /// Reads what the peer sends after this side has closed, and what is forgotten. As [#read].
  default int discard(ByteBuffer to) throws IOException {
    return read(to);
  }

  /// Tells the peer that nothing follows.
  void endOutput() throws IOException;

  /// Closes both directions. Called once.
  ///
  /// @param abruptly whether the peer is to hear of it at once, and need not receive what was sent
  void close(boolean abruptly);
}
