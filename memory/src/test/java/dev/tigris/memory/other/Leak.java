package dev.tigris.memory.other;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;

/// Forgets a Jbuf, and runs into the budget with another: what a user with a leak does.
public final class Leak {
  private Leak() {}

  /// Ends when the one that was forgotten has been reclaimed.
  public static void main(String[] args) throws InterruptedException {
    Jbuf held = hold();
    System.out.println("held: " + Jbuf.use().bytesBySite());
    try {
      Jbuf.allocate(Jbuf.use().budgetBytes() + 1, "greedy").free();
    } catch (MemoryBudgetException e) {
      System.out.println("refused: " + e.getMessage());
    }
    forget();
    for (int round = 0; round < 1000 && Jbuf.use().reclaimedCount() == 0; round++) {
      System.gc();
      Thread.onSpinWait();
    }
    held.free();
    System.out.println("reclaimed: " + Jbuf.use().reclaimedCount());
  }

  private static Jbuf hold() {
    return Jbuf.allocate(100, "holder");
  }

  private static void forget() {
    Jbuf.allocate(1000, "forgetful").asBytes().set(0, (byte) 1);
  }
}
