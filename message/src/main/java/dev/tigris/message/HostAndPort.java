package dev.tigris.message;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An address of a host and a port, such as `10.0.0.7:7400` or `[::1]:7400`.
///
/// @param host without brackets
record HostAndPort(String host, int port) {
  /// The addresses that stand for all interfaces of a host. They mean nothing to another host.
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

  private static final int MOST_PORT = 0xffff;

  /// Takes a text apart; returns null if it is no such address.
  static @Nullable HostAndPort of(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || colon == text.length() - 1) {
      return null;
    }
    String host = text.substring(0, colon);
    String port = text.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || port.length() > 5 || !port.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return null;
    }
    int number = Integer.parseInt(port);
    return number > MOST_PORT ? null : new HostAndPort(host, number);
  }

  /// Takes a text apart.
  ///
  /// @throws IllegalArgumentException if it is no such address
  static HostAndPort parse(String text) {
    HostAndPort parsed = of(text);
    if (parsed == null) {
      throw new IllegalArgumentException(
          "'%s' is no host and port: write HOST:PORT, or [ADDRESS]:PORT for IPv6".formatted(text));
    }
    return parsed;
  }

  /// Returns an address where a bundle listens, as it is reached over the host of another address
  /// of its machine: a wildcard is replaced by that host.
  static String reachable(String listening, String other) {
    HostAndPort its = of(listening);
    HostAndPort known = of(other);
    return its == null || known == null || !WILDCARDS.contains(its.host())
        ? listening
        : new HostAndPort(known.host(), its.port()).toString();
  }

  /// Returns an address where a bundle of this machine listens, as it is reached from here: a
  /// wildcard, which no certificate names, is replaced by the address of this machine alone.
  static String fromHere(String listening) {
    HostAndPort its = of(listening);
    if (its == null || !WILDCARDS.contains(its.host())) {
      return listening;
    }
    return new HostAndPort(its.host().indexOf(':') < 0 ? "127.0.0.1" : "::1", its.port())
        .toString();
  }

  /// Whether the host is this machine alone; false also if it is not known.
  boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  InetSocketAddress socketAddress() {
    return new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
