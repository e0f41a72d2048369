package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// The budget is one for a process, so these tests give processes of their own a small one.
class BudgetTest {
  private static final int MEGABYTE = 1 << 20;

  /// Allocates ten times its budget without ever freeing, then fills the budget and one more.
  static final class Forgetful {
    public static void main(String[] arguments) {
      long sum = 0;
      for (int i = 0; i < 80; i++) {
        Bytes bytes = Jbuf.allocate(MEGABYTE, "forgotten").asBytes();
        bytes.set(i, (byte) 1);
        sum += bytes.get(i);
      }
      System.out.println("forgot " + sum);
      List<Jbuf> kept = new ArrayList<>();
      try {
        while (kept.size() < 100) {
          kept.add(Jbuf.allocate(MEGABYTE, "kept"));
        }
      } catch (MemoryBudgetException e) {
        System.out.println("kept " + kept.size() + ": " + e.getMessage());
      }
      Budget.PROCESS.checkInvariants();
    }
  }

  /// Fills its budget with Jbufs whose callback frees them, and allocates on.
  static final class Patient {
    public static void main(String[] arguments) {
      for (int i = 0; i < 80; i++) {
        Jbuf jbuf = Jbuf.allocate(MEGABYTE, "claimed");
        jbuf.asLongs().fill(i);
        jbuf.unreference(Jbuf::free);
      }
      Budget.PROCESS.checkInvariants();
      System.out.println("done");
    }
  }

  /// Says whether the collector ran before it was refused what nobody can give back.
  static final class Refused {
    private static final Jbuf HELD = Jbuf.allocate(MEGABYTE, "held");

    public static void main(String[] arguments) {
      WeakReference<Object> witness = new WeakReference<>(new Object());
      try {
        Jbuf _ = Jbuf.allocate(MEGABYTE, "refused", PageKind.SHARED);
      } catch (MemoryBudgetException e) {
        System.out.println(e.getMessage());
      }
      System.out.println(witness.refersTo(null) ? "collected" : "at once");
      HELD.free();
      Budget.PROCESS.checkInvariants();
    }
  }

  /// Several threads share buffers and forget them: many more than the process may have files.
  static final class Sharing {
    public static void main(String[] arguments) throws Exception {
      Jbuf.allocate(4096, "first", PageKind.SHARED).free(); // loads classes, from files
      try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          done.add(threads.submit(Sharing::share));
        }
        for (Future<?> each : done) {
          each.get();
        }
      }
      Budget.PROCESS.checkInvariants();
      System.out.println("done");
    }

    private static void share() {
      for (int i = 0; i < 100; i++) {
        Jbuf.allocate(4096, "forgotten", PageKind.SHARED).asBytes().set(0, (byte) i);
      }
    }
  }

  private static String run(Class<?> main, String budget) throws IOException, InterruptedException {
    return Jvm.of(main)
        .options("-Xmx64m", "-D" + Budget.PROPERTY + "=" + budget)
        .command()
        .output();
  }

  @Test
  void reclaimsWhatIsUnreachableBeforeItRefuses() throws IOException, InterruptedException {
    String output = run(Forgetful.class, "8m");
    assertTrue(output.startsWith("forgot 80\nkept 8: no room for 1048576 bytes"), output);
    assertTrue(output.contains("kept 8388608"), output);
  }

  @Test
  void waitsForClaimsThatTheCollectorCanVerify() throws IOException, InterruptedException {
    assertEquals("done\n", run(Patient.class, "8m"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void asksTheCollectorForNothingThatItCannotGive() throws Exception {
    String output =
        Jvm.of(Refused.class).options("-XX:-UsePerfData").command().after("ulimit -f 1").output();
    List<String> lines = output.lines().toList();
    assertTrue(lines.getFirst().contains("File too large"), output);
    assertEquals("at once", lines.getLast(), output);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void waitsForWhatTheSystemLendsHoweverManyWait() throws Exception {
    assertEquals(
        "done\n",
        Jvm.of(Sharing.class).options("-Xmx64m").command().after("ulimit -n 80").output());
  }

  @Test
  void readsSizesAndRefusesNonsense() {
    assertEquals(1024, Budget.parseBytes("1k"));
    assertEquals(3L << 30, Budget.parseBytes(" 3G "));
    assertEquals(12345, Budget.parseBytes("12345"));
    for (String text : List.of("", "k", "1x", "99999999999g", "1.5g", "-1", "0")) {
      assertThrows(IllegalArgumentException.class, () -> Budget.parseBytes(text), text);
    }
  }
}
