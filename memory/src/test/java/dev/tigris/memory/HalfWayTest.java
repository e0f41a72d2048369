package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.MemoryFile;
import dev.tigris.testing.process.Jvm;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What takes a file and is then ended, by an exception or by an error of the JVM, here that a
/// class cannot be loaded from a folder while the process may open no other file, gives it back.
class HalfWayTest {
  private static final Path ANY = Path.of("/dev/null");

  /// What takes a file.
  private interface Work {
    void run() throws Exception;
  }

  /// Does some work in a process that may open a few files more.
  private static void withFiles(int few, Work work) throws Exception {
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
    for (int i = 0; i < few; i++) {
      all.removeLast().close();
    }
    try {
      work.run();
    } catch (NoClassDefFoundError | IOException e) {
      System.out.println("ended");
    }
    for (int i = 0; i < few; i++) {
      all.add(new FileInputStream(ANY.toFile()));
    }
    System.out.println("they are there still");
  }

  static final class Shares {
    public static void main(String[] arguments) throws Exception {
      // The file can be made; the limit on the size of files forbids to reserve its pages.
      withFiles(1, () -> FileDescriptors.close(MemoryFile.create("shared", 8 << 20)));
    }
  }

  static final class Owns {
    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(System.getProperty("folder"), "data");
      int few = Integer.getInteger("files");
      Files.setPosixFilePermissions(
          Files.createFile(file), PosixFilePermissions.fromString("rw-rw-rw-"));
      withFiles(few, () -> Journal.own(file).close());
    }
  }

  /// Closes the descriptors of a journal behind its back, so that to close it fails.
  static final class Spoils {
    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(System.getProperty("folder"), "data");
      Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, 3 << 20);
      Path journal = Journal.pathFor(file).toRealPath();
      List<Integer> numbers = new ArrayList<>();
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        open.filter(each -> leadsTo(each, journal))
            .forEach(each -> numbers.add(Integer.parseInt(each.getFileName().toString())));
      }
      numbers.forEach(FileDescriptors::close);
      try {
        jbuf.free();
      } catch (UncheckedIOException e) {
        System.out.println("could not be closed");
      }
      System.out.println(numbers.size() + " files, " + Jbuf.use().mappedBytes() + " bytes");
      Jbuf.map(file, Mapping.DURABLE).free();
    }

    private static boolean leadsTo(Path descriptor, Path file) {
      try {
        return Files.readSymbolicLink(descriptor).equals(file);
      } catch (IOException e) {
        return false; // closed meanwhile: that of the listing, for one
      }
    }
  }

  private static String run(Class<?> main, String... options)
      throws IOException, InterruptedException {
    return Jvm.of(main).options(options).command().after("ulimit -n 80").output();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void givesTheFileOfSharedMemoryBack() throws Exception {
    String limits = "ulimit -n 80 && ulimit -f 2048";
    String said = Jvm.of(Shares.class).command().after(limits).output();
    assertEquals("ended\nthey are there still\n", said);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @EnabledOnOs(OS.LINUX)
  void givesTheFilesOfAJournalBack(int few, @TempDir Path folder) throws Exception {
    String[] options = {"-Dfiles=" + few, "-Dfolder=" + folder};
    assertEquals("ended\nthey are there still\n", run(Owns.class, options));
    Path file = folder.resolve("data");
    Journal.own(file).close(); // the next one finds a journal that was made, and no more
    assertEquals(
        Files.getPosixFilePermissions(file), Files.getPosixFilePermissions(Journal.pathFor(file)));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void countsAFileNoMoreThatCouldNotBeClosed(@TempDir Path folder) throws Exception {
    String said = Jvm.of(Spoils.class).options("-Dfolder=" + folder).command().output();
    assertEquals("could not be closed\n2 files, 0 bytes\n", said);
  }
}
