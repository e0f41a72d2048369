package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jvm;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// What `-Dtigris.check=leases` finds, and that nothing throws without it.
class LeaseCheckTest {
  private static List<String> lines(String printed, Predicate<String> which) {
    return printed.lines().filter(line -> line.contains(": ")).filter(which).toList();
  }

  @Test
  void withTheCheckEveryLateUseThrowsAndNoOther() throws Exception {
    String printed = Jvm.of(StaleUses.class).options("-Dtigris.check=leases").command().output();

    List<String> stale = lines(printed, line -> line.startsWith("stale "));
    assertEquals(21, stale.size(), printed);
    for (String line : stale) {
      boolean cleared = line.contains("since it was cleared by main");
      assertTrue(cleared || line.contains("since it was handed on by main"), line);
    }
    List<String> valid = lines(printed, line -> !line.startsWith("stale "));
    assertEquals(35, valid.size(), printed);
    assertTrue(valid.stream().allMatch(line -> line.endsWith(": passed")), printed);
    assertTrue(printed.contains("owned true"), printed);
  }

  @Test
  void withoutTheCheckLateUsesSeeOtherDataOfTheSameContainer() throws Exception {
    String printed = Jvm.of(StaleUses.class).command().output();
    assertTrue(
        lines(printed, line -> true).stream().allMatch(line -> line.endsWith(": passed")), printed);
  }

  @Test
  void refusesToBeAskedForAnotherCheck() {
    assertTrue(Lease.isChecked("leases"));
    assertFalse(Lease.isChecked(null));
    for (String other : List.of("", "lease", "Leases", "true")) {
      assertThrows(IllegalArgumentException.class, () -> Lease.isChecked(other), other);
    }
  }
}
