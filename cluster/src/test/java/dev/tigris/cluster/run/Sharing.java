package dev.tigris.cluster.run;

import dev.tigris.cluster.group.CollectiveCalls;
import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.group.Reduction;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// A group for tests: its members add their numbers up, or one of them fails.
public final class Sharing implements GroupProgram {
  /// For each process.
  public Sharing() {}

  @Override
  public void run(Group group, Arguments arguments) throws Exception {
    Longs sum = Jbuf.allocate(8).asLongs();
    sum.set(0, group.rank() + 1L);
    group.allReduce(sum, Reduction.SUM);
    group.results().max("sum", sum.get(0));
    group.results().add("members", 1);
    switch (arguments.word(0)) {
      case "adds" -> group.barrier();
      case "throws" -> {
        if (group.rank() == 1) {
          throw new IllegalStateException("member 1 does not like it");
        }
        group.barrier();
      }
      case "dies" -> {
        if (group.rank() == 1) {
          Files.writeString(
              Path.of(arguments.word(1)), String.valueOf(ProcessHandle.current().pid()));
          new CountDownLatch(1).await(); // the test kills or stops it
        }
        CollectiveCalls.repeat(group, arguments.word(2));
      }
      default -> throw new IllegalArgumentException(arguments.word(0));
    }
  }
}
