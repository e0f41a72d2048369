package dev.tigris.net.socket;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.os.SystemException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `host:port` as text; an IPv6 address stands in brackets.
public final class TcpAddress {
  /// As the system, the JDK and libfabric say it: then no other address will do.
  private static final String TOO_MANY_FILES = "oo many open files";

  private TcpAddress() {}

  /// Reads an address. Of a host with several addresses it is the first.
  ///
  /// @throws IllegalArgumentException if it has another form
  /// @throws NetException if the host has no address
  public static InetSocketAddress parse(String text) {
    return all(text).getFirst();
  }

  /// Reads an address; returns all that the host has, in the order of the system, each with the
  /// port.
  ///
  /// @throws IllegalArgumentException if it has another form
  /// @throws NetException if the host has no address
  static List<InetSocketAddress> all(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.isEmpty() || host.indexOf(':') >= 0) {
      throw wrong(text);
    }
    int port;
    try {
      port = new InetSocketAddress(Integer.parseInt(text.substring(colon + 1))).getPort();
    } catch (IllegalArgumentException notAPort) {
      throw wrong(text);
    }
    try {
      List<InetSocketAddress> all = new ArrayList<>();
      for (InetAddress each : InetAddress.getAllByName(host)) {
        all.add(new InetSocketAddress(each, port));
      }
      return all;
    } catch (UnknownHostException e) {
      String advice =
          host.equals("*")
              ? "'*' is no host: 0.0.0.0 stands for all addresses of this one"
              : "this host has no address: check the name";
      throw new NetException("look up", text, advice, null);
    }
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

  /// The failure to listen at an address.
  public static NetException refused(String address, Exception why) {
    String what = said(why);
    String advice =
        what.contains(TOO_MANY_FILES)
            ? ""
            : ": name an address of this host, and a port that is free, or 0 for any";
    return new NetException("listen at", address, what + advice, why);
  }

  /// The failure of a listener that was open.
  public static NetException failed(String address, Exception why) {
    return new NetException("listen at", address, said(why), why);
  }

  /// The JDK gives no advice.
  private static String said(Exception why) {
    String what = String.valueOf(why.getMessage());
    return what.endsWith(TOO_MANY_FILES)
        ? what + SystemException.advice(SystemException.TOO_MANY_FILES)
        : what;
  }

  /// The outcome where an address cannot be reached.
  ///
  /// @throws NetException if that is no answer of the network
  public static ConnectResult unreachable(String address, SystemException why) {
    return switch (why.error()) {
      // Who was interrupted has waited no longer: Fabric.connect tells the two apart.
      case SystemException.TIMED_OUT, SystemException.INTERRUPTED -> ConnectResult.timedOut();
      case SystemException.CONNECTION_REFUSED,
          SystemException.HOST_DOWN,
          SystemException.HOST_UNREACHABLE,
          SystemException.NETWORK_UNREACHABLE ->
          ConnectResult.nobodyListens(String.valueOf(why.getMessage()));
      case SystemException.CONNECTION_RESET, SystemException.BROKEN_PIPE ->
          ConnectResult.closedWithoutAnswer();
      case SystemException.ADDRESS_NOT_AVAILABLE -> throw notAvailable(address, why);
      default ->
          throw new NetException("connect to", address, String.valueOf(why.getMessage()), why);
    };
  }

  /// This side has nothing to connect from, or may not.
  public static NetException notAvailable(String address, Exception why) {
    String what = String.valueOf(why.getMessage());
    String advice =
        what.contains("ermission denied") // by a rule of this host; Java has one exception for both
            ? ""
            : ": this host has no address of that kind, or no port that is free: close"
                + " connections, or widen net.ipv4.ip_local_port_range";
    return new NetException("connect to", address, what + advice, why);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "'%s' is not host:port, as in 127.0.0.1:7000 or [::1]:7000".formatted(text));
  }
}
