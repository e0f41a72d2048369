package dev.tigris.bench.runs;

import dev.tigris.bench.net.Namespaces;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Processes of one class, each on a host of its own at a [Switch], whose links have one rate.
final class Nodes implements Closeable {
  private final Switch network;
  private final List<NodeProcess> nodes = new ArrayList<>();

  /// Starts them.
  ///
  /// @param megabits a second, of each link
  /// @param options of Java
  Nodes(int count, int megabits, Class<?> main, String... options)
      throws IOException, InterruptedException {
    network = new Switch(count, Switch.limitedTo(megabits));
    try {
      for (int host = 0; host < count; host++) {
        nodes.add(new NodeProcess(network, host, main, options));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /// Returns why the figures of a group that needs such hosts are left out; nothing if they are
  /// not.
  static List<String> missing(String group) {
    return Namespaces.obstacle("tc").stream().map(why -> group + " is left out: " + why).toList();
  }

  /// Returns these figures, or none if they are left out.
  static List<String> figures(List<String> all) {
    return Namespaces.obstacle("tc").isPresent() ? List.of() : all;
  }

  NodeProcess get(int node) {
    return nodes.get(node);
  }

  List<NodeProcess> range(int from, int to) {
    return nodes.subList(from, to);
  }

  @Override
  public void close() {
    nodes.forEach(NodeProcess::close);
    network.close();
  }
}
