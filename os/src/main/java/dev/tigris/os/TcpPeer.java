package dev.tigris.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks this kernel about the host at the other end of a TCP connection: whether it owes an
/// acknowledgement, and when the last one came. It acknowledges in the place of its processes, so
/// also of one that is stopped. Linux only.
///
/// ```text
///   struct tcp_info:  3  1 B  probes that are not answered
///                    24  4 B  segments that are not acknowledged
///                    56  4 B  milliseconds since the last acknowledgement
///                   144  4 B  bytes that were not sent yet
/// ```
///
/// Thread rule: one at a time.
public final class TcpPeer {
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_INFO = 11;
  private static final int PROBES = 3;
  private static final int UNACKNOWLEDGED = 24;
  private static final int SINCE = 56;
  private static final int UNSENT = 144;
  private static final int INFO_BYTES = 148;
  private static final int UNKNOWN = -1;

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  /// The two addresses of a connection, of which the system has no two.
  private record Ends(SocketAddress local, SocketAddress remote) {}

  /// Null for a socket whose descriptor is known.
  private final @Nullable Ends ends;

  private int number;
  private boolean owes;
  private boolean hasUnsent;
  private long sinceMillis;

  private TcpPeer(@Nullable Ends ends, int number) {
    this.ends = ends;
    this.number = number;
  }

  /// The peer of a socket, which is not looked at after it was closed.
  public static TcpPeer of(TcpSocket socket) {
    return new TcpPeer(null, socket.file().number());
  }

  /// The peer of a channel. Nothing is known of it before it was found ([#find]).
  ///
  /// @throws IOException if the channel is not connected
  public static TcpPeer of(SocketChannel channel) throws IOException {
    SocketAddress local = channel.getLocalAddress();
    SocketAddress remote = channel.getRemoteAddress();
    if (local == null || remote == null) {
      throw new IOException("the channel is not connected");
    }
    return new TcpPeer(new Ends(local, remote), UNKNOWN);
  }

  /// The descriptor of the socket, if it is known.
  int number() {
    return number;
  }

  /// Whether a file is this connection.
  boolean isOf(int file) {
    return ends == null ? file == number : ends.equals(endsOf(file));
  }

  /// Whether it has to be found.
  public boolean isUnknown() {
    return number == UNKNOWN;
  }

  /// Finds peers of channels, in one pass through the open files of this process: the JDK does not
  /// tell the descriptor of a channel. Those that are not found stay unknown.
  public static void find(Collection<TcpPeer> wanted) {
    Map<Ends, TcpPeer> unknown = new HashMap<>();
    for (TcpPeer each : wanted) {
      if (each.ends != null && each.isUnknown()) {
        unknown.put(each.ends, each);
      }
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(OPEN_FILES)) {
      for (Path file : files) {
        int candidate = Integer.parseInt(file.getFileName().toString());
        Ends its = endsOf(candidate);
        TcpPeer found = its == null ? null : unknown.remove(its);
        if (found != null) {
          found.number = candidate;
        }
        if (unknown.isEmpty()) {
          return;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // not Linux, or a process without /proc: nothing is known then
    }
  }

  private static @Nullable Ends endsOf(int file) {
    SocketAddress remote = TcpSocket.remoteAddress(file);
    SocketAddress local = remote == null ? null : TcpSocket.localAddress(file);
    return remote == null || local == null ? null : new Ends(local, remote);
  }

  /// Asks the kernel. Returns false if it tells nothing: then nothing is known.
  public boolean look() {
    if (!isUnknown() && !isOf(number)) {
      number = UNKNOWN; // the channel was closed, and the number may be another file's
    }
    if (isUnknown()) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(INFO_BYTES, 8);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, INFO_BYTES);
      if (Calls.getsockopt(number, IPPROTO_TCP, TCP_INFO, info, length) < 0
          || length.get(ValueLayout.JAVA_INT, 0) < INFO_BYTES) {
        return false;
      }
      owes =
          info.get(ValueLayout.JAVA_BYTE, PROBES) != 0
              || info.get(ValueLayout.JAVA_INT, UNACKNOWLEDGED) != 0;
      sinceMillis = Integer.toUnsignedLong(info.get(ValueLayout.JAVA_INT, SINCE));
      hasUnsent = info.get(ValueLayout.JAVA_INT, UNSENT) != 0;
      return true;
    }
  }

  /// Whether it owed an acknowledgement, or the answer to a probe, at the last look.
  public boolean owes() {
    return owes;
  }

  /// Whether everything was sent and acknowledged, at the last look.
  public boolean hasAll() {
    return !owes && !hasUnsent;
  }

  /// How many milliseconds before the last look its last acknowledgement came.
  public long sinceMillis() {
    return sinceMillis;
  }
}
