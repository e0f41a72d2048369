package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tigris.message.NameRegistry.Answer;
import dev.tigris.message.NameRegistry.Granted;
import dev.tigris.message.NameService.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A name has one process, and goes to the one that has waited longest.
class NameRegistryTest {
  private static final Location HERE = new Location("tcp", "h:1");

  /// The model: names, each with a line of processes.
  private final List<List<String>> lines = new ArrayList<>();

  private final NameRegistry registry = new NameRegistry();

  @Test
  void grantsNamesInTheOrderInWhichTheyWereWanted() {
    int names = 4;
    for (int i = 0; i < names; i++) {
      lines.add(new ArrayList<>());
    }
    SplittableRandom random = new SplittableRandom(7);
    for (int step = 0; step < 20_000; step++) {
      String process = "process " + random.nextInt(5);
      int which = random.nextInt(names);
      switch (random.nextInt(5)) {
        case 0 -> {
          List<Granted> granted = registry.withdrawAll(process);
          int expected = 0;
          for (int name = 0; name < names; name++) {
            expected += left(name, process) ? 1 : 0;
          }
          assertEquals(expected, granted.size());
        }
        case 1 -> {
          Granted granted = registry.withdraw(process, "name " + which);
          if (left(which, process)) {
            assertEquals(new Granted(lines.get(which).getFirst(), "name " + which, "1"), granted);
          } else {
            assertNull(granted);
          }
        }
        default -> {
          List<String> line = lines.get(which);
          if (!line.contains(process)) {
            line.add(process);
          }
          assertEquals(
              line.getFirst().equals(process) ? Answer.GRANTED : Answer.WAITS,
              registry.register(process, "1", "name " + which, 1, HERE));
          assertEquals(Answer.OTHER_TAG, registry.register(process, "1", "name " + which, 2, HERE));
        }
      }
      for (int name = 0; name < names; name++) {
        assertEquals(
            lines.get(name).isEmpty() ? null : List.of(HERE), registry.find("name " + name, 1));
      }
    }
  }

  /// Removes a process from a line; returns whether the next one has the name by that.
  private boolean left(int name, String process) {
    List<String> line = lines.get(name);
    boolean had = !line.isEmpty() && line.getFirst().equals(process);
    return line.remove(process) && had && !line.isEmpty();
  }

  @Test
  void aProcessHasManyNamesAndNoMore() {
    for (int i = 0; i < NameRegistry.MOST_NAMES; i++) {
      assertEquals(Answer.GRANTED, registry.register("a", "1", "name " + i, 1, HERE));
    }
    assertEquals(Answer.TOO_MANY, registry.register("a", "1", "more", 1, HERE));
    assertNull(registry.find("more", 1));
    assertEquals(Answer.WAITS, registry.register("b", "1", "name 5", 1, HERE));
    assertEquals(List.of(new Granted("b", "name 5", "1")), registry.withdrawAll("a"));
    assertNull(registry.find("name 6", 1));
  }
}
