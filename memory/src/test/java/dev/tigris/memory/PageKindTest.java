package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the kinds of pages promise, seen from the kernel.
class PageKindTest {
  private static final long BYTES = 3L << 20;

  @BeforeAll
  static void isLinux() {
    assumeTrue(System.getProperty("os.name").equals("Linux"), "asks /proc: Linux only");
  }

  @ParameterizedTest
  @EnumSource(PageKind.class)
  void eachKindIsZeroWhoeverHadItBeforeAndIsGivenBack(PageKind pages) throws Exception {
    String owner = "pages " + pages;
    for (int round = 0; round < 3; round++) {
      Jbuf jbuf = Jbuf.allocate(BYTES, owner, pages);
      assertTrue(Jbuf.use().bytesByOwner().get(owner) >= BYTES);
      CountDownLatch verified = new CountDownLatch(1);
      fill(jbuf);
      jbuf.unreference(_ -> verified.countDown());
      collectUntilOpen(verified);
      jbuf.free();
      assertNull(Jbuf.use().bytesByOwner().get(owner));
    }
    Budget.PROCESS.checkInvariants();
  }

  private static void fill(Jbuf jbuf) {
    Longs longs = jbuf.asLongs();
    for (long i = 0; i < longs.length(); i++) {
      assertEquals(0, longs.get(i));
    }
    longs.fill(-1);
  }

  private static void collectUntilOpen(CountDownLatch latch) throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      System.gc();
      if (latch.await(50, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    throw new AssertionError("the collector has not verified it");
  }

  @ParameterizedTest
  @EnumSource(PageKind.class)
  void eachKindRefusesSizesThatNobodyHas(PageKind pages) {
    long largest = Long.MAX_VALUE;
    for (long bytes : new long[] {largest, largest - 1, largest - (2 << 20), largest / 2}) {
      assertThrows(MemoryBudgetException.class, () -> Jbuf.allocate(bytes, "greedy", pages));
    }
    assertThrows(IllegalArgumentException.class, () -> Jbuf.allocate(0, "nothing", pages));
    Budget.PROCESS.checkInvariants();
  }

  @Test
  void lockedPagesAreInMemoryUntilTheyAreFreed() throws IOException {
    long before = lockedKilobytes();
    Jbuf jbuf = Jbuf.allocate(BYTES, "locked", PageKind.LOCKED);
    assertEquals(before + (4 << 10), lockedKilobytes());
    jbuf.free();
    assertEquals(before, lockedKilobytes());
  }

  private static long lockedKilobytes() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/status"));
    String line = lines.stream().filter(l -> l.startsWith("VmLck:")).findFirst().orElseThrow();
    return Long.parseLong(line.replaceAll("[^0-9]", ""));
  }

  @Test
  void hugePagesAreAdvisedUntilTheyAreFreed() throws Exception {
    assumeTrue(Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")), "no huge pages here");
    String printed =
        Jvm.of(Huge.class).options("-Dtigris.memory.hugepages=false").command().output();
    assertEquals(List.of("huge: 1", "freed: 0"), printed.lines().toList());
  }

  /// Prints how many ranges more than at first are advised to be of huge pages.
  static final class Huge {
    public static void main(String[] args) throws IOException {
      long before = advisedRanges();
      Jbuf jbuf = Jbuf.allocate(BYTES, "huge", PageKind.HUGE);
      System.out.println("huge: " + (advisedRanges() - before));
      jbuf.free();
      System.out.println("freed: " + (advisedRanges() - before));
    }

    private static long advisedRanges() throws IOException {
      return Files.readAllLines(Path.of("/proc/self/smaps")).stream()
          .filter(line -> line.startsWith("VmFlags:") && line.contains(" hg"))
          .count();
    }
  }

  @Test
  void aLimitOnLockedPagesIsAClearRefusal() throws Exception {
    List<String> limited =
        List.of("prlimit", "--memlock=65536:65536", "setpriv", "--bounding-set=-ipc_lock");
    Needs.command(
        "needs setpriv, and the right to use it: apt-get install util-linux",
        Command.of("true").behind(limited));
    assertEquals("", Jvm.of(Limited.class).command().behind(limited).output());
  }

  /// Ends well if it is refused, and has nothing locked then.
  static final class Limited {
    public static void main(String[] args) throws IOException {
      try {
        Jbuf.allocate(BYTES, "locked", PageKind.LOCKED);
      } catch (MemoryBudgetException e) {
        if (e.getMessage().contains("ulimit -l")
            && lockedKilobytes() == 0
            && Jbuf.use().usedBytes() == 0) {
          return;
        }
        throw e;
      }
      throw new AssertionError("it was not refused");
    }
  }
}
