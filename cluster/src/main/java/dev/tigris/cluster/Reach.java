package dev.tigris.cluster;

import java.util.ArrayList;
import java.util.List;

/// Where a process listens for streams, and on which host. Processes tell it to one another, as
/// text: [#toString] and [#of].
///
/// @param host tells hosts and users apart, for memory that processes share
/// @param ways the providers and addresses, those that the process prefers first
public record Reach(String host, List<Way> ways) {
  private static final String BETWEEN = "|";

  /// One way to a process.
  ///
  /// @param provider the name of the provider, with TLS or without
  /// @param address an address of that provider
  public record Way(String provider, String address) {
    /// Refuses names that cannot be told as text.
    public Way {
      if (provider.isEmpty() || (provider + address).contains(BETWEEN) || provider.contains("=")) {
        throw new IllegalArgumentException(
            "'%s' at '%s' is no way to a process".formatted(provider, address));
      }
    }

    @Override
    public String toString() {
      return provider + "=" + address;
    }
  }

  /// Copies the list.
  public Reach {
    ways = List.copyOf(ways);
  }

  /// Reads what [#toString] returns.
  ///
  /// @throws IllegalArgumentException if it is something else
  public static Reach of(String text) {
    String[] parts = text.split("\\|", -1);
    List<Way> ways = new ArrayList<>();
    for (int i = 1; i < parts.length; i++) {
      int at = parts[i].indexOf('=');
      if (at < 0) {
        throw new IllegalArgumentException(
            "'%s' does not tell where a process listens: it must be what Reach.toString() returns"
                .formatted(text));
      }
      ways.add(new Way(parts[i].substring(0, at), parts[i].substring(at + 1)));
    }
    return new Reach(parts[0], ways);
  }

  /// Returns `HOST|PROVIDER=ADDRESS|...`, on one line.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(host);
    ways.forEach(way -> text.append(BETWEEN).append(way));
    return text.toString();
  }
}
