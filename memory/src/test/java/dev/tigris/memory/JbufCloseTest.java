package dev.tigris.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.FilePages;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A Jbuf that is closed while views of it are used.
class JbufCloseTest {
  private static final int BYTES = 3 << 20;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("data");
  }

  @ParameterizedTest
  @EnumSource(Mapping.class)
  void canBeMappedAgainAtOnce(Mapping mapping) throws Exception {
    Files.write(file(), new byte[BYTES]);
    for (int round = 0; round < 20; round++) {
      try (Jbuf jbuf = Jbuf.map(file(), mapping)) {
        Longs longs = jbuf.asLongs();
        assertEquals(mapping.writesToFile() ? round : 0, longs.get(0));
        longs.set(0, round + 1);
        if (mapping.writesToFile()) {
          jbuf.flush();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARED", "DURABLE", "PRIVATE"})
  void letsNoStoreReachTheFileAfterwards(Mapping mapping) throws Exception {
    Files.write(file(), new byte[BYTES]);
    Jbuf jbuf = Jbuf.map(file(), mapping);
    Longs longs = jbuf.asLongs();
    longs.set(5, 1);
    jbuf.close();
    byte[] closed = Files.readAllBytes(file());
    assertEquals(mapping == Mapping.SHARED ? 1 : 0, closed[5 * Long.BYTES], "nothing was flushed");
    assertEquals(State.CLOSED, jbuf.state());
    for (long i = 0; i < longs.length(); i++) {
      assertEquals(0, longs.get(i));
      longs.set(i, -1);
    }
    assertArrayEquals(closed, Files.readAllBytes(file()));
    assertThrows(FreedException.class, jbuf::flush);
    assertThrows(FreedException.class, jbuf::asLongs);
    assertThrows(FreedException.class, () -> jbuf.unreference(Jbuf::free));
    jbuf.close();
    jbuf.free();
    jbuf.checkInvariants();
    assertEquals(-1, longs.get(0)); // it was held until here
  }

  @Test
  void saysOfAContainerThatItWasClosed() throws Exception {
    Container container;
    try (Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES)) {
      container = jbuf.asContainer();
    }
    FreedException e = assertThrows(FreedException.class, container::usedBytes);
    assertTrue(e.getMessage().contains("was closed"), e.getMessage());
  }

  @Test
  void givesTheAddressesBackWhenNoViewIsLeft() throws Exception {
    long before = Jbuf.use().count();
    Jbuf jbuf = mapAndClose();
    for (int round = 0; round < 200 && jbuf.state() != State.FREED; round++) {
      System.gc();
      Thread.onSpinWait();
    }
    assertEquals(State.FREED, jbuf.state());
    assertTrue(Jbuf.use().count() <= before + 1, "the blocks of others may have gone meanwhile");
    for (int i = 0; i < 40; i++) {
      assertEquals(0, Jbuf.allocate(BYTES).asLongs().get(100), "what was stored late is gone");
    }
    Budget.PROCESS.checkInvariants();
  }

  private Jbuf mapAndClose() throws IOException {
    Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES);
    Longs longs = jbuf.asLongs();
    jbuf.close();
    longs.fill(-1);
    return jbuf;
  }

  @Test
  void closesWhatWaitsForTheCollectorAlready() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES);
    CountDownLatch called = new CountDownLatch(1);
    Longs held = jbuf.asLongs();
    jbuf.unreference(
        closed -> {
          closed.free();
          called.countDown();
        });
    jbuf.close();
    Jbuf.map(file(), Mapping.DURABLE).close();
    assertEquals(0, held.get(0)); // it was held until here
    held = null;
    while (!called.await(20, TimeUnit.MILLISECONDS)) {
      System.gc();
    }
    assertEquals(State.FREED, jbuf.state());
  }

  @Test
  void closesMemoryWhenItsViewsAreGone() {
    Jbuf unused = Jbuf.allocate(BYTES);
    unused.close();
    assertEquals(State.FREED, unused.state());
    Jbuf jbuf = Jbuf.allocate(BYTES);
    Longs longs = jbuf.asLongs();
    longs.set(0, 5);
    jbuf.close();
    assertEquals(5, longs.get(0));
    assertThrows(FreedException.class, jbuf::asLongs);
  }

  @Test
  void flushesIfItIsAskedTo() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES);
    jbuf.asBytes().set(0, (byte) 9);
    jbuf.flushAndClose();
    assertEquals(9, Files.readAllBytes(file())[0]);
    assertThrows(FreedException.class, jbuf::flushAndClose);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void leavesNoDescriptorOpen() throws Exception {
    for (Mapping mapping : Mapping.values()) {
      try (Jbuf jbuf = Jbuf.map(file(), mapping, BYTES)) {
        jbuf.asBytes().set(0, (byte) 9);
        assertEquals(mapping.writesToFile(), open() > 0, mapping.toString());
      } catch (java.nio.file.NoSuchFileException e) {
        throw new AssertionError("SHARED comes first", e);
      }
      assertEquals(0, open());
    }
  }

  /// How many descriptors of this process lead into the folder.
  private long open() throws IOException {
    Path real = folder.toRealPath();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(each -> leadsInto(each, real)).count();
    }
  }

  private static boolean leadsInto(Path descriptor, Path real) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(real);
    } catch (IOException e) {
      return false; // closed meanwhile: that of the listing, for one
    }
  }

  /// Closes a file while the process may have no more memory, and again when it may.
  static final class Crowded {
    public static void main(String[] arguments) throws IOException {
      Path path = Path.of(arguments[0]);
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      Jbuf.map(path, Mapping.SHARED, BYTES).close();
      System.out.println(close(Crowded::refuse)); // so that all classes are loaded
      Jbuf jbuf = Jbuf.map(path, Mapping.SHARED, BYTES);
      Longs longs = jbuf.asLongs();
      for (String line : List.of("ready", "mapped")) {
        longs.set(0, 4);
        System.out.println(line);
        String _ = input.readLine();
      }
      String refusal = close(jbuf::close);
      longs.set(0, 5);
      System.out.println(refusal);
      System.out.println(jbuf.state());
      String _ = input.readLine();
      jbuf.flush(); // it is as before
      jbuf.close();
      longs.set(0, 6);
      try (Jbuf again = Jbuf.map(path, Mapping.DURABLE)) {
        System.out.println(again.asLongs().get(0));
      }
      jbuf.close();
      System.out.println(longs.get(0) + " " + jbuf.state());
    }

    private static String close(Runnable closing) {
      try {
        closing.run();
        return "closed";
      } catch (UncheckedIOException e) {
        return String.valueOf(e.getMessage());
      }
    }

    private static void refuse() {
      try {
        FilePages.unmap(1, BYTES); // no page begins there
      } catch (IOException e) {
        throw new UncheckedIOException("refused (%s)".formatted(e.getMessage()), e);
      }
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void canBeRepeatedWhereTheSystemRefusesIt() throws Exception {
    Needs.program("prlimit", "util-linux");
    Jvm jvm = Jvm.of(Crowded.class).quick().options("-Xms32m", "-Xmx32m", "-Xint");
    try (Child child = jvm.command(file().toString()).start()) {
      child.expectLine("refused (could not take a file off its range: Invalid argument)");
      child.expectLine("ready");
      child.say("go on");
      child.expectLine("mapped");
      String pid = Long.toString(child.pid());
      String _ = Command.of("prlimit", "--pid", pid, "--data=4096:").output();
      child.say("close");
      String refusal = String.valueOf(child.nextLine());
      assertTrue(refusal.contains("is mapped as before"), refusal);
      assertTrue(refusal.contains("close it again"), refusal);
      child.expectLine("REFERENCED");
      String _ = Command.of("prlimit", "--pid", pid, "--data=unlimited:").output();
      child.say("close again");
      child.expectLine("5");
      child.expectLine("6 CLOSED");
      assertEquals(0, child.exitCode());
    }
  }

  /// Drops mappings of files, as a program does that waits for the collector, in a process that may
  /// open few files.
  static final class Forgetful {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      for (int i = 0; i < 200; i++) {
        map(folder.resolve("file" + i));
      }
      for (int i = 0; i < 10; i++) {
        map(folder.resolve("file" + 0));
      }
      System.out.println("mapped");
    }

    private static void map(Path file) throws IOException {
      Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, 4096);
      jbuf.asBytes().set(0, (byte) 1);
      jbuf.unreference(Jbuf::free);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void findsWhatDroppedMappingsHoldBeforeItRefusesAnother() throws Exception {
    assertEquals(
        "mapped\n",
        Jvm.of(Forgetful.class).quick().command(folder.toString()).after("ulimit -n 200").output());
  }
}
