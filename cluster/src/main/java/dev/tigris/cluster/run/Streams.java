package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;

/// Addresses: of the link of a worker, and of its streams, which it tells as one.
final class Streams {
  private static final char SEPARATOR = '\n';

  private Streams() {}

  /// Returns the name of a worker's link.
  static String workerName(Epoch epoch, int worker) {
    return "worker-%d.%d".formatted(worker, epoch.attempt());
  }

  static String joined(String control, String streams) {
    return control + SEPARATOR + streams;
  }

  static String controlOf(String address) throws IOException {
    return address.substring(0, separator(address));
  }

  static String streamsOf(String address) throws IOException {
    return address.substring(separator(address) + 1);
  }

  private static int separator(String address) throws IOException {
    int at = address.indexOf(SEPARATOR);
    if (at < 0) {
      throw new IOException("'%s' is not the address of a worker".formatted(address));
    }
    return at;
  }
}
