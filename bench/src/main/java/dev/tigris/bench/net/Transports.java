package dev.tigris.bench.net;

import java.util.List;

/// The transports in Java, by the name that a [WorkerMain] is given.
final class Transports {
  private static final String TIGRIS = "tigris:";
  private static final String NETTY = "netty:";

  private Transports() {}

  /// A process of `named`, without its last two arguments.
  static List<String> command(String name) {
    return JavaCommand.of(WorkerMain.class, name);
  }

  static String tigris(String provider) {
    return TIGRIS + provider;
  }

  static String netty(NettyKind kind) {
    return NETTY + kind;
  }

  static Transport named(String name) {
    if (name.startsWith(TIGRIS)) {
      return new TigrisTransport(name.substring(TIGRIS.length()));
    }
    if (name.startsWith(NETTY)) {
      return new NettyTransport(NettyKind.valueOf(name.substring(NETTY.length())));
    }
    throw new IllegalArgumentException("there is no transport " + name);
  }
}
