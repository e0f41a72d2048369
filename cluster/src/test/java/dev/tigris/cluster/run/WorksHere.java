package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/// A worker of a host in a process of its own, until its input ends: `key runs address`. It prints
/// its address first, and what it says to its standard error.
final class WorksHere {
  private WorksHere() {}

  public static void main(String[] arguments) throws Exception {
    Consumer<String> says = line -> System.err.println(line);
    try (HostWorker worker =
        HostWorker.start(
            Path.of(arguments[0]), List.of(), Path.of(arguments[1]), arguments[2], says)) {
      System.out.println(worker.address());
      int _ = System.in.read();
    }
  }
}
