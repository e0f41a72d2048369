package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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

  private static String run(Class<?> main, String budget) throws IOException, InterruptedException {
    return Forked.run(main, "-Xmx64m", "-D" + Budget.PROPERTY + "=" + budget);
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
  void readsSizesAndRefusesNonsense() {
    assertEquals(1024, Budget.parseBytes("1k"));
    assertEquals(3L << 30, Budget.parseBytes(" 3G "));
    assertEquals(12345, Budget.parseBytes("12345"));
    for (String text : List.of("", "k", "1x", "99999999999g", "1.5g", "-1", "0")) {
      assertThrows(IllegalArgumentException.class, () -> Budget.parseBytes(text), text);
    }
  }
}
