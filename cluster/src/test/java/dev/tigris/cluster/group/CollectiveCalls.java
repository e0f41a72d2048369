package dev.tigris.cluster.group;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.util.List;

/// The collective calls by their names, for tests of what ends them.
public final class CollectiveCalls {
  /// Their names.
  public static final List<String> ALL =
      List.of(
          "barrier",
          "broadcast",
          "reduce",
          "allReduce",
          "gather",
          "allGather",
          "scatter",
          "allToAll");

  private static final long BYTES = 160_000;

  private CollectiveCalls() {}

  /// Makes one. Member 1 is the root of those that give the others something, so that they wait for
  /// it.
  public static void call(Group group, String name) throws InterruptedException {
    Longs part = Jbuf.allocate(BYTES).asLongs();
    Longs all = Jbuf.allocate(BYTES * group.size()).asLongs();
    Longs other = Jbuf.allocate(BYTES * group.size()).asLongs();
    switch (name) {
      case "barrier" -> group.barrier();
      case "broadcast" -> group.broadcast(part, 1);
      case "reduce" -> group.reduce(part, Reduction.SUM, 0);
      case "allReduce" -> group.allReduce(part, Reduction.SUM);
      case "gather" -> group.gather(part, all, 0);
      case "allGather" -> group.allGather(part, all);
      case "scatter" -> group.scatter(all, part, 1);
      case "allToAll" -> group.allToAll(all, other);
      default -> throw new IllegalArgumentException(name);
    }
  }

  /// Makes one over and over.
  public static void repeat(Group group, String name) throws InterruptedException {
    while (true) {
      call(group, name);
    }
  }
}
