package dev.tigris.sort;

import java.nio.file.Path;
import java.util.List;

/// A file on one of the hosts of a [cluster][dev.tigris.cluster.run.Cluster].
///
/// @param host where the worker of the host listens, as [the cluster
///     says][dev.tigris.cluster.run.Cluster#hosts]
/// @param path the file there, an absolute path
public record HostFile(String host, Path path) {
  /// Refuses a relative path.
  ///
  /// @throws IllegalArgumentException if it is one
  public HostFile {
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException(
          "%s:%s has no absolute path: a host's worker has a folder of its own, so write one that begins with /"
              .formatted(host, path));
    }
  }

  /// Reads `HOST:PATH`, or `HOST:PORT:PATH` where several workers listen on one host.
  ///
  /// @param hosts where the workers listen, each as `HOST:PORT`
  /// @throws IllegalArgumentException if it names none of them, or several, or no absolute path
  public static HostFile parse(String text, List<String> hosts) {
    List<String> exact =
        hosts.stream().distinct().filter(each -> text.startsWith(each + ":/")).toList();
    if (exact.size() == 1) {
      return of(exact.getFirst(), text, exact.getFirst());
    }
    List<String> named =
        hosts.stream().distinct().filter(each -> text.startsWith(name(each) + ":")).toList();
    return switch (named.size()) {
      case 1 -> of(named.getFirst(), text, name(named.getFirst()));
      case 0 ->
          throw new IllegalArgumentException(
              "%s is on none of the hosts %s: write HOST:PATH".formatted(text, hosts));
      default ->
          throw new IllegalArgumentException(
              "%s is on one of %s, which is not said: write HOST:PORT:PATH".formatted(text, named));
    };
  }

  private static HostFile of(String host, String text, String prefix) {
    return new HostFile(host, Path.of(text.substring(prefix.length() + 1)));
  }

  /// Returns the name or address of a host without its port.
  private static String name(String host) {
    return host.substring(0, host.lastIndexOf(':'));
  }

  /// Returns it as [#parse] reads it.
  @Override
  public String toString() {
    return host + ":" + path;
  }
}
