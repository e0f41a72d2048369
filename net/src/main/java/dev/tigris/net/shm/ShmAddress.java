package dev.tigris.net.shm;

import dev.tigris.net.NetException;
import dev.tigris.os.UnixSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where to listen: a name of 1 to 64 letters, digits, `.`, `_` and `-`; `*` for any. So that one
/// address does for several providers, `HOST:PORT` stands for the name `PORT`, if the host is this
/// one, and `HOST:0` for any.
///
/// Each user has names of his own: the socket has the abstract name `tigris/USER/NAME`.
final class ShmAddress {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?<host>[^:\\[\\]]+|\\[[^\\[\\]]+]):(?<port>[0-9]{1,5})");

  private static final int LAST_PORT = 65535;

  private ShmAddress() {}

  /// The address to connect to whoever listens at this one: itself, unless it stands for any.
  static String listening(String address) {
    boolean any = address.equals("*") || port(address).equals(Optional.of("0"));
    return any ? UUID.randomUUID().toString() : address;
  }

  /// The name of the socket.
  ///
  /// @throws IllegalArgumentException if the address has another form
  /// @throws NetException if it is another host's, or its host has no address
  static String socketName(String address) {
    String name = port(address).orElse(address);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'%s' is neither a name of 1 to 64 letters, digits, '.', '_' and '-', nor HOST:PORT"
              .formatted(address));
    }
    return "tigris/" + UnixSocket.user() + "/" + name;
  }

  /// The port, if the address has that form.
  private static Optional<String> port(String address) {
    Matcher parts = HOST_AND_PORT.matcher(address);
    if (!parts.matches() || Integer.parseInt(parts.group("port")) > LAST_PORT) {
      return Optional.empty();
    }
    obstacleTo(parts.group("host"))
        .ifPresent(
            why -> {
              throw new NetException(
                  "look up",
                  address,
                  why + " (shm is for processes of one host: use uring or tcp for others)",
                  null);
            });
    return Optional.of(parts.group("port"));
  }

  /// Why a host is not this one; empty if it is.
  static Optional<String> obstacleTo(String host) {
    try {
      for (InetAddress each : InetAddress.getAllByName(host)) {
        if (each.isLoopbackAddress()
            || each.isAnyLocalAddress()
            || NetworkInterface.getByInetAddress(each) != null) {
          return Optional.empty();
        }
      }
      return Optional.of(host + " is another host");
    } catch (UnknownHostException | SocketException e) {
      return Optional.of(host + " has no address: " + e.getMessage());
    }
  }
}
