package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.testing.Tier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Runs benches as small as they go: that they work and that what they compute is right, not how
/// fast they are.
///
/// Two classes have the tests, since the build runs as many classes at a time.
final class EveryBench {
  /// The peers of figures with these beginnings, whatever else they are.
  private static final Map<String, List<String>> PEERS =
      Map.ofEntries(
          Map.entry("memory.field.straight", List.of("plain object")),
          Map.entry("memory.field.loop", List.of("plain object")),
          Map.entry("memory.object.create", List.of("plain object")),
          Map.entry("memory.reference.", List.of("plain object", "ByteBuffer getter")),
          Map.entry("memory.view.", List.of("array")),
          Map.entry("memory.bytes.", List.of("MemorySegment", "byte[]")),
          Map.entry("memory.jbuf.allocate", List.of("Arena.ofShared")),
          Map.entry("memory.jbuf.free", List.of("Arena.ofShared")),
          Map.entry("memory.arrow.", List.of("bytes alone")),
          Map.entry("call.shm.latency.", List.of("gRPC", "Aeron IPC", "Tigris")),
          Map.entry("call.tcp.throughput.", List.of("gRPC", "Aeron UDP", "Tigris")),
          Map.entry("call.tcp.allocation.blocking.", List.of("gRPC")),
          Map.entry("message.shm.rate.", List.of("Tigris", "Aeron IPC")),
          Map.entry("cluster.stream.shm.", List.of("Tigris")),
          Map.entry("cluster.shuffle.100B.", List.of("one JVM")),
          Map.entry("cluster.shuffle.slow", List.of("ideal")),
          Map.entry("cluster.sort.", List.of("one JVM")),
          Map.entry("flow.stream.memory.", List.of("ArrayBlockingQueue", "JCTools SPSC")),
          Map.entry("flow.reservoir.", List.of("ideal")),
          Map.entry("paper.tigris.fig5.", List.of("ideal")),
          Map.entry("disks.read.", List.of("FileChannel")),
          Map.entry("disks.write.", List.of("FileChannel")),
          Map.entry("disks.declustering.", List.of("ideal")),
          Map.entry("sort.onepass", List.of("GNU sort", "cp + sync")),
          Map.entry("sort.external", List.of("GNU sort")),
          Map.entry("sort.datamation", List.of("GNU sort")),
          Map.entry("sort.typed", List.of("byte key")),
          Map.entry("sort.lines.", List.of("GNU sort")));

  private EveryBench() {}

  /// Runs all benches of a module, but for the variants of another outside of the soak.
  ///
  /// @param module the beginning of the names of its figures
  static void requireWorks(String module, Path folder) throws Exception {
    List<String> which = Tier.current() == Tier.SOAK ? List.of(module) : List.of(module, "--quick");
    List<String> expected = BenchOutput.of(with(which, "--list")).lines();

    BenchOutput output =
        BenchOutput.of(
            with(
                which,
                "--tiny",
                "--json",
                "--debug",
                "--dir",
                folder.resolve("work").toString(),
                "--out",
                folder.resolve("results").toString()));

    assertEquals(0, output.exit(), output.errors());
    List<String> measured = new ArrayList<>();
    Map<String, Set<String>> peers = new HashMap<>();
    for (String line : output.lines()) {
      JsonNode figure = new ObjectMapper().readTree(line);
      measured.add(figure.get("figure").asText());
      assertTrue(Double.isFinite(figure.get("times").asDouble()), line);
      peers
          .computeIfAbsent(measured.getLast(), _ -> new HashSet<>())
          .add(figure.get("peer").asText());
    }
    requirePeers(module, peers);
    assertEquals(expected, measured.stream().distinct().toList());
    assertTrue(Files.exists(folder.resolve("results/summary.md")));
    try (var left = Files.list(folder.resolve("work"))) {
      assertEquals(List.of(), left.toList());
    }
  }

  private static String[] with(List<String> some, String... more) {
    return Stream.concat(some.stream(), Stream.of(more)).toArray(String[]::new);
  }

  private static void requirePeers(String module, Map<String, Set<String>> peers) {
    PEERS.forEach(
        (beginning, wanted) -> {
          if (!beginning.startsWith(module + ".")) {
            return;
          }
          List<String> figures =
              peers.keySet().stream()
                  .filter(figure -> figure.startsWith(beginning) && !figure.endsWith(".memory"))
                  .toList();
          assertFalse(figures.isEmpty(), beginning);
          for (String figure : figures) {
            Set<String> found = peers.get(figure);
            assertTrue(found.containsAll(wanted), figure + " has " + found + ", not " + wanted);
          }
        });
  }
}
