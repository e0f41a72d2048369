package dev.tigris.net.socket;

import dev.tigris.net.NetException;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.provider.Linking;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/// `host:port` as text; an IPv6 address stands in brackets.
public final class TcpAddress {
  private TcpAddress() {}

  /// Reads an address.
  ///
  /// @throws IllegalArgumentException if it has another form
  /// @throws NetException if the host has no address
  public static InetSocketAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.isEmpty() || host.indexOf(':') >= 0) {
      throw wrong(text);
    }
    InetSocketAddress address;
    try {
      address = new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException notAPort) {
      throw wrong(text);
    }
    if (address.isUnresolved()) {
      throw new NetException("look up", text, "this host has no address: check the name", null);
    }
    return address;
  }

  /// Why a host cannot be reached over TCP, as far as that is known without asking it: it has no
  /// address.
  public static Optional<String> obstacleTo(String host) {
    try {
      InetAddress _ = InetAddress.getByName(host);
      return Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.of(host + " has no address: check the name");
    }
  }

  /// Writes one.
  public static String format(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  /// Nobody can listen at an address.
  public static NetException refused(String address, Exception why) {
    return new NetException(
        "listen at",
        address,
        why.getMessage() + ": name an address of this host, and a port that is free, or 0 for any",
        why);
  }

  /// Nobody could be connected to at an address.
  ///
  /// @throws NetException if that is no answer of the network
  public static Linking unreachable(String address, SystemException why) {
    return switch (why.error()) {
      case SystemException.TIMED_OUT -> Linking.timedOut();
      case SystemException.CONNECTION_REFUSED,
          SystemException.HOST_DOWN,
          SystemException.HOST_UNREACHABLE,
          SystemException.NETWORK_UNREACHABLE ->
          Linking.nobodyListens(String.valueOf(why.getMessage()));
      case SystemException.CONNECTION_RESET, SystemException.BROKEN_PIPE ->
          Linking.closedWithoutAnswer();
      default ->
          throw new NetException("connect to", address, String.valueOf(why.getMessage()), why);
    };
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "'%s' is not host:port, as in 127.0.0.1:7000 or [::1]:7000".formatted(text));
  }
}
