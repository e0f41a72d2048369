package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the command as a process of its own, as the launcher does, for what only shows there.
class ProcessTest {
  @TempDir Path folder;

  @Test
  void exitsWithTheCodesOfTheTable() throws Exception {
    assertEquals(0, tigris("gen", "--quiet", "1000", "data").waitFor());
    assertEquals(1, tigris("check", "--quiet", "data").waitFor());
    assertEquals(2, tigris("sort", "--nonsense").waitFor());
    assertEquals(3, tigris("check", "missing").waitFor());
  }

  @Test
  void cleansUpWhenItIsStopped() throws Exception {
    assertEquals(0, tigris("gen", "--quiet", "2M", "data").waitFor());
    Process sort = tigris("sort", "data", "sorted", "--memory", "64m");
    // It has begun when there is something beside the input.
    while (sort.isAlive() && files().size() < 4) {
      Thread.onSpinWait();
    }
    sort.destroy(); // SIGTERM, which is handled as Ctrl-C is
    assertTrue(sort.waitFor(30, TimeUnit.SECONDS), "it goes on");
    if (sort.exitValue() == 0) {
      assertEquals(List.of("data", "err", "out", "sorted"), files()); // it was quicker
    } else {
      assertEquals(143, sort.exitValue());
      assertEquals(List.of("data", "err", "out"), files());
      assertEquals(
          "tigris: stopped; nothing was left behind\n", Files.readString(folder.resolve("err")));
    }
  }

  private List<String> files() throws Exception {
    try (Stream<Path> list = Files.list(folder)) {
      return list.map(path -> String.valueOf(path.getFileName())).sorted().toList();
    }
  }

  private Process tigris(String... args) throws Exception {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
    line.add("--enable-native-access=dev.tigris.memory");
    line.addAll(List.of("-p", System.getProperty("jdk.module.path")));
    line.addAll(List.of("-m", "dev.tigris.cli/dev.tigris.cli.Main"));
    line.addAll(List.of(args));
    return new ProcessBuilder(line)
        .directory(folder.toFile())
        .redirectOutput(folder.resolve("out").toFile())
        .redirectError(folder.resolve("err").toFile())
        .start();
  }
}
