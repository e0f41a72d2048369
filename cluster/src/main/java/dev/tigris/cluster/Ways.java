package dev.tigris.cluster;

import dev.tigris.net.Fabric;
import dev.tigris.net.provider.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The ways by which one exchange reaches others: the fabrics that it listens on.
///
/// Thread rule: any thread.
final class Ways {
  /// A way that was chosen.
  ///
  /// @param fabric carries the streams
  /// @param address where the other process listens
  record Chosen(Fabric fabric, String address) {}

  private record Own(Fabric fabric, boolean isMemory, Reach.Way way) {}

  private static final System.Logger LOG = System.getLogger(Exchange.class.getName());

  private final String host;
  private final List<Own> all = new ArrayList<>();

  /// By fabric: to ask for its provider takes long.
  private final Map<Fabric, Boolean> memory = new ConcurrentHashMap<>();

  Ways(String host) {
    this.host = host;
  }

  /// Adds a fabric, and where this process listens on it. Memory comes before all others.
  synchronized void add(Fabric fabric, String address) {
    boolean isMemory = isMemory(fabric);
    Own added = new Own(fabric, isMemory, new Reach.Way(fabric.provider(), address));
    all.add(isMemory ? 0 : all.size(), added);
  }

  /// Returns whether a fabric carries messages through memory that processes share.
  boolean isMemory(Fabric fabric) {
    return memory.computeIfAbsent(fabric, of -> isMemory(of.provider()));
  }

  private static boolean isMemory(String provider) {
    try {
      return Fabric.provider(provider).kind() == Provider.Kind.MEMORY;
    } catch (IllegalArgumentException unknown) { // with TLS, or of a program's own
      return false;
    }
  }

  /// Returns the fabric that is preferred.
  ///
  /// @throws IllegalStateException if this process does not listen
  synchronized Fabric first() {
    if (all.isEmpty()) {
      throw new IllegalStateException("this process does not listen: call listen() first");
    }
    return all.getFirst().fabric;
  }

  synchronized Reach reach() {
    return new Reach(host, all.stream().map(Own::way).toList());
  }

  /// Chooses a way to another process: memory within one host, else the first of this process's
  /// fabrics that the other one has, too. Says in the log which, and why none before it.
  ///
  /// @throws IllegalArgumentException if there is none
  synchronized Chosen to(int process, Reach other) {
    boolean isNear = other.host().equals(host);
    StringBuilder reasons = new StringBuilder();
    for (Own own : all) {
      String provider = own.way.provider();
      Reach.Way its =
          other.ways().stream()
              .filter(way -> way.provider().equals(provider))
              .findFirst()
              .orElse(null);
      String obstacle =
          its == null
              ? "it does not listen there"
              : own.isMemory && !isNear ? "it is on another host, or of another user" : null;
      if (its != null && obstacle == null) {
        LOG.log(
            System.Logger.Level.INFO,
            "streams to process {0} are carried by {1}, at {2}{3}",
            process,
            provider,
            its.address(),
            reasons);
        return new Chosen(own.fabric, its.address());
      }
      reasons.append("; not by ").append(provider).append(": ").append(obstacle);
    }
    throw new IllegalArgumentException(
        "no way leads to process %d, which listens at %s%s: let both processes listen on fabrics of one provider, both with TLS or both without"
            .formatted(process, other.ways(), reasons));
  }
}
