package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.os.DiskSpace;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A JVM that was told to refuse native access, and not to whom to allow it.
class NativeAccessTest {
  private static final String MEMORY = Jvm.location(Jbuf.class).toString();
  private static final String OS = Jvm.location(DiskSpace.class).toString();
  private static final String TESTS = Jvm.location(Denied.class).toString();

  @TempDir Path folder;

  @Test
  void saysWhichOptionIsMissingOnTheClassPath() throws Exception {
    String path = String.join(File.pathSeparator, MEMORY, OS, TESTS);
    expect("ALL-UNNAMED", "-cp", path, Denied.class.getName());
  }

  @Test
  void saysWhichOptionIsMissingOnTheModulePath() throws Exception {
    String main = "dev.tigris.memory/" + Denied.class.getName();
    expect(
        "dev.tigris.os,dev.tigris.memory",
        "-p",
        MEMORY + File.pathSeparator + OS,
        "--patch-module",
        "dev.tigris.memory=" + TESTS,
        "-m",
        main);
  }

  private void expect(String option, String... words) {
    List<String> command = new ArrayList<>();
    command.add(Jvm.tool("java"));
    command.add("--illegal-native-access=deny");
    command.addAll(List.of(words));
    command.add(folder.resolve("file").toString());
    String sentence =
        "this JVM refuses calls of the C library and memory outside the heap: start java with"
            + " --enable-native-access="
            + option;
    assertEquals(Collections.nCopies(Denied.LINES, sentence), Command.of(command).run().lines());
  }

  /// Prints what each place where native calls begin is refused with, the first time and later.
  static final class Denied {
    private static final int LINES = 6;

    private Denied() {}

    private interface Call {
      void run() throws IOException;
    }

    public static void main(String[] args) throws IOException {
      Path file = Path.of(args[0]);
      for (int i = 0; i < LINES; i += 3) {
        print(() -> Jbuf.allocate(100));
        print(() -> Jbuf.map(file, Mapping.DURABLE, 4096));
        print(() -> DiskSpace.reserve(file, 4096));
      }
    }

    private static void print(Call call) throws IOException {
      try {
        call.run();
        System.out.println("nothing was refused");
      } catch (IllegalCallerException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
