package dev.tigris.net.libfabric;

import dev.tigris.net.socket.TcpAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Who has connected to a port, and was not heard yet. The library does not say whom it waits for;
/// the kernel knows who is connected, in `/proc/net/tcp`:
///
/// ```text
///   sl  local_address rem_address   st ...
///    0: 0100007F:1F90 0100007F:C350 01 ...      addresses in words of the machine's order
/// ```
///
/// Networks that are not TCP have no entry there.
final class PendingConnections {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final String ESTABLISHED = "01";
  private static final int LEAST_KNOWN = 64;

  private final String port;
  private final Set<String> heard;
  private int mostHeard = LEAST_KNOWN;

  /// Those who are connected already, as with a listener before this one, count as heard.
  PendingConnections(int port) {
    this.port = ":%04X".formatted(port);
    this.heard = connected();
  }

  /// Notes that a peer was heard.
  void heard(String caller) {
    heard.add(caller);
    if (heard.size() >= mostHeard) { // those that are gone are forgotten
      heard.retainAll(connected());
      mostHeard = 2 * Math.max(LEAST_KNOWN, heard.size());
    }
  }

  /// Whether there is a peer that is yet to be heard.
  boolean areExpected() {
    return !heard.containsAll(connected());
  }

  private Set<String> connected() {
    return TABLES.stream().flatMap(this::connected).collect(Collectors.toCollection(HashSet::new));
  }

  private Stream<String> connected(Path table) {
    try {
      return Files.readAllLines(table).stream()
          .map(line -> line.strip().split("\\s+"))
          .filter(words -> words.length > 3 && words[1].endsWith(port))
          .filter(words -> words[3].equals(ESTABLISHED))
          .map(words -> address(words[2]));
    } catch (IOException | UncheckedIOException noSuchTable) {
      return Stream.of(); // no peer is waited for, then
    }
  }

  private static String address(String words) {
    int colon = words.indexOf(':');
    ByteBuffer printed = ByteBuffer.wrap(HexFormat.of().parseHex(words, 0, colon));
    ByteBuffer bytes = ByteBuffer.allocate(printed.limit()).order(ByteOrder.nativeOrder());
    while (printed.hasRemaining()) {
      bytes.putInt(printed.getInt());
    }
    try {
      InetAddress host = InetAddress.getByAddress(bytes.array());
      int port = Integer.parseInt(words, colon + 1, words.length(), 16);
      return TcpAddress.format(new InetSocketAddress(host, port));
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
