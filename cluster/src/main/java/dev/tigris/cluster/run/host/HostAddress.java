package dev.tigris.cluster.run.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Where the worker of a host listens, such as `h1.example:7411` or `[::1]:7411`.
///
/// @param host its name or address, without brackets
/// @param port its port
public record HostAddress(String host, int port) {
  /// The port of a worker that is told no other.
  public static final int USUAL_PORT = 7411;

  private static final int MOST_PORT = 0xffff;

  /// Reads `HOST:PORT`.
  ///
  /// @throws IllegalArgumentException if it is something else
  public static HostAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      host = "";
    }
    String port = text.substring(colon + 1);
    if (host.isBlank() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MOST_PORT) {
      throw new IllegalArgumentException(
          "'%s' is no host and port: write HOST:PORT, or [ADDRESS]:PORT for IPv6".formatted(text));
    }
    return new HostAddress(host, Integer.parseInt(port));
  }

  /// Reads a file with one address a line. What follows a `#` is a comment.
  ///
  /// @throws IOException if it cannot be read, has another line, or none
  public static List<HostAddress> in(Path file) throws IOException {
    List<HostAddress> all = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      String text = line.replaceFirst("#.*", "").strip();
      if (text.isEmpty()) {
        continue;
      }
      try {
        all.add(parse(text));
      } catch (IllegalArgumentException e) {
        throw new IOException("%s, line %d: %s".formatted(file, number, e.getMessage()), e);
      }
    }
    if (all.isEmpty()) {
      throw new IOException("%s names no host: write one HOST:PORT a line".formatted(file));
    }
    return all;
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
