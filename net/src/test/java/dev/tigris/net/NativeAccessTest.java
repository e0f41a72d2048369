package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.os.SystemException;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A JVM that was told to refuse native access, and not to allow it to the module that calls C.
class NativeAccessTest {
  private static final String MEMORY = location(Jbuf.class);
  private static final String OS = location(SystemException.class);
  private static final String NET = location(Fabric.class);
  private static final String TESTS = location(Denied.class);

  @Test
  void everyProviderButTcpSaysWhichOptionIsMissingOnTheClassPath() {
    String path = String.join(File.pathSeparator, OS, MEMORY, NET, TESTS);
    expect("ALL-UNNAMED", "-cp", path, Denied.class.getName());
  }

  @Test
  void everyProviderButTcpSaysWhichOptionIsMissingOnTheModulePath() {
    expect(
        "dev.tigris.os,dev.tigris.memory",
        "-p",
        String.join(File.pathSeparator, OS, MEMORY, NET),
        "--patch-module",
        "dev.tigris.net=" + TESTS,
        "-m",
        "dev.tigris.net/" + Denied.class.getName());
  }

  private static String location(Class<?> type) {
    return Jvm.location(type).toString();
  }

  private static void expect(String option, String... words) {
    Command java = Command.of(Jvm.tool("java"), "--illegal-native-access=deny").with(words);
    List<String> said = java.run().expect(0).lines();
    assertEquals(Denied.LINES, said.size(), said.toString());
    for (String line : said) {
      assertTrue(line.endsWith("--enable-native-access=" + option), said.toString());
    }
  }

  /// Prints why the providers cannot be used, and why one cannot be opened.
  static final class Denied {
    private static final int LINES = 3;

    private Denied() {}

    public static void main(String[] args) {
      for (Fabric.Candidate each : Fabric.candidates("127.0.0.1")) {
        each.obstacle().ifPresent(why -> System.out.println(each.name() + ": " + why));
      }
      try {
        Fabric.open("shm").close();
        System.out.println("shm could be opened");
      } catch (NetException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
