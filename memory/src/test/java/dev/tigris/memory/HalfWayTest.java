package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.raw.FileDescriptors;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What takes a file and is then ended by an error of the JVM, here that a class cannot be loaded
/// from a folder while the process may open no other file, gives the file back.
class HalfWayTest {
  private static final Path ANY = Path.of("/dev/null");

  /// What takes a file.
  private interface Work {
    void run() throws Exception;
  }

  /// Does some work in a process that may open one file more.
  private static void withOneFile(Work work) throws Exception {
    FileDescriptors.close(FileDescriptors.open(ANY, false)); // loads what gives a file back
    List<FileInputStream> all = new ArrayList<>();
    // The JVM has files of its own open for moments: one refusal does not say that all are taken.
    for (int refusals = 0; refusals < 1_000; ) {
      try {
        all.add(new FileInputStream(ANY.toFile()));
      } catch (IOException e) {
        refusals++;
      }
    }
    all.removeLast().close();
    try {
      work.run();
    } catch (NoClassDefFoundError e) {
      System.out.println("ended");
    }
    new FileInputStream(ANY.toFile()).close();
    System.out.println("there is one still");
  }

  static final class Shares {
    public static void main(String[] arguments) throws Exception {
      Jbuf.allocate(8).free();
      withOneFile(() -> Jbuf.allocate(8, "shared", PageKind.SHARED).free());
    }
  }

  static final class Owns {
    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(System.getProperty("folder"), "data");
      withOneFile(() -> Journal.own(Files.createFile(file)).close());
    }
  }

  private static String run(Class<?> main, Path folder) throws IOException, InterruptedException {
    return Forked.limited("ulimit -n 80", main, "-Dfolder=" + folder);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void givesTheFileOfSharedMemoryBack(@TempDir Path folder) throws Exception {
    assertEquals("ended\nthere is one still\n", run(Shares.class, folder));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void givesTheFileOfAJournalBack(@TempDir Path folder) throws Exception {
    assertEquals("ended\nthere is one still\n", run(Owns.class, folder));
  }
}
