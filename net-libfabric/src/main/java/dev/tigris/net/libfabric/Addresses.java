package dev.tigris.net.libfabric;

import dev.tigris.net.NetException;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.socket.TcpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `host:port` as the library has it.
final class Addresses {
  /// The library's providers of connected endpoints. Its `sockets` is an older `tcp`.
  private static final Set<String> CONNECTED = Set.of("verbs", "tcp");

  /// Those of endpoints without connections that have hardware of their own: of Amazon, HPE and
  /// Cornelis.
  private static final Set<String> RDMA = Set.of("efa", "cxi", "opx", "psm2", "psm3");

  /// Those over sockets: `net` is what 1.17 calls the half of `tcp` that has no connections. Not
  /// `shm`, which hangs when a sender is killed, nor any `ofi_rxm`, whose devices cannot always be
  /// closed.
  private static final Set<String> SOCKETS = Set.of("tcp", "net");

  /// What can be posted to an endpoint: of less, window and spare receives would not fit.
  private static final int LEAST_DEPTH = 2 * Greeting.LARGEST_WINDOW;

  private static final long LONGEST_PACKET_BYTES = SharedEndpoint.NUMBER_BYTES + Buffer.BYTES;

  private static final int FAMILY_INET = 2;
  private static final int FAMILY_INET6 = 10;
  private static final int INET_BYTES = 4;
  private static final int INET6_BYTES = 16;
  private static final int PORT = 2;
  private static final int INET = 4;
  private static final int INET6 = 8;

  private Addresses() {}

  /// The fastest way to reach an address, or to listen at it.
  ///
  /// @param here whether to listen
  static Route route(Library library, String address, boolean here) {
    InetSocketAddress parsed = TcpAddress.parse(address);
    String host = parsed.getAddress().getHostAddress();
    try {
      List<Route> all = Route.find(library, true, host, parsed.getPort(), here);
      Route best = null;
      for (Route each : all) {
        if (best == null && isUsable(each)) {
          best = each;
        } else {
          each.close();
        }
      }
      if (best != null) {
        return best;
      }
    } catch (LibfabricException e) {
      throw Failures.of(here ? "listen at" : "connect to", address, e);
    }
    throw new NetException(
        here ? "listen at" : "connect to",
        address,
        "libfabric has no connected endpoints for it"
            + (here
                ? ": name an address of this host, and a port that is free, or 0 for any;"
                : ":")
            + " 'fi_info -t FI_EP_MSG' shows what it has, and FI_PROVIDER in the environment may"
            + " hide some",
        null);
  }

  /// The fastest endpoints that are not connected: of hardware, or at an address of this host.
  static Route unconnected(Library library, String address) {
    String host = TcpAddress.parse(address).getAddress().getHostAddress();
    try {
      Route best = first(Route.find(library, false, null, 0, false), RDMA);
      if (best == null) {
        best = first(Route.find(library, false, host, 0, true), SOCKETS);
      }
      if (best != null) {
        return best;
      }
    } catch (LibfabricException e) {
      throw Failures.of("open an endpoint at", address, e);
    }
    throw new NetException(
        "open an endpoint at",
        address,
        "libfabric has no endpoints without connections there that Tigris uses: 'fi_info -t"
            + " FI_EP_RDM' shows what it has, and FI_PROVIDER in the environment may hide some",
        null);
  }

  /// The first of some providers; the others are closed.
  private static @Nullable Route first(List<Route> all, Set<String> providers) {
    Route best = null;
    for (Route each : all) {
      if (best == null
          && providers.contains(each.provider())
          && Long.compareUnsigned(each.operationBytes(), LONGEST_PACKET_BYTES) >= 0) {
        best = each;
      } else {
        each.close();
      }
    }
    return best;
  }

  /// Whether what a provider calls endpoints are addresses of sockets.
  static boolean ofSockets(String provider) {
    return SOCKETS.contains(provider);
  }

  private static boolean isUsable(Route route) {
    return CONNECTED.contains(route.provider())
        && route.depth() >= LEAST_DEPTH
        && route.ranges() >= 1;
  }

  /// A `struct sockaddr` as text; null if it is of another family.
  static @Nullable String format(ByteBuffer address) {
    if (address.remaining() < INET6 + INET6_BYTES && address.remaining() < INET + INET_BYTES) {
      return null;
    }
    int family = address.order(ByteOrder.nativeOrder()).getShort(0);
    if (family != FAMILY_INET && family != FAMILY_INET6) {
      return null;
    }
    byte[] bytes = new byte[family == FAMILY_INET ? INET_BYTES : INET6_BYTES];
    int at = family == FAMILY_INET ? INET : INET6;
    if (address.remaining() < at + bytes.length) {
      return null;
    }
    address.get(at, bytes);
    int port = address.order(ByteOrder.BIG_ENDIAN).getShort(PORT) & 0xffff;
    try {
      return TcpAddress.format(new InetSocketAddress(InetAddress.getByAddress(bytes), port));
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
