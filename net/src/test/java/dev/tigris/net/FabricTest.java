package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class FabricTest {
  @Test
  void refusesAProviderThatThereIsNot() {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> Fabric.open("telepathy"));
    assertTrue(refusal.getMessage().contains("there are"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("tcp"), refusal.getMessage());
  }

  @Test
  void choosesTheFirstCandidateThatNothingStandsAgainst() {
    String expected =
        Fabric.candidates("127.0.0.1").stream()
            .filter(each -> each.obstacle().isEmpty())
            .findFirst()
            .orElseThrow()
            .name();
    try (Fabric best = Fabric.best("127.0.0.1")) {
      assertEquals(expected, best.provider());
    }
  }

  @Test
  void isNotClosedUnderAQueueThatIsMadeMeanwhile() throws Exception {
    try (var other = Executors.newSingleThreadExecutor()) {
      for (int round = 0; round < 2000; round++) {
        Fabric fabric = Fabric.open("tcp");
        CyclicBarrier start = new CyclicBarrier(2);
        Future<Boolean> closed =
            other.submit(
                () -> {
                  start.await();
                  return isClosed(fabric);
                });
        start.await();
        try (CompletionQueue queue = fabric.completionQueue()) {
          assertFalse(closed.get(), queue::toString);
        } catch (IllegalStateException e) {
          assertTrue(closed.get());
        }
        fabric.close();
      }
    }
  }

  private static boolean isClosed(Fabric fabric) {
    try {
      fabric.close();
      return true;
    } catch (IllegalStateException e) {
      return false; // it has a queue
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void wouldShareMemoryWithThisHostOnly() {
    var here = Fabric.candidates("127.0.0.1").getFirst();
    var elsewhere = Fabric.candidates("192.0.2.1").getFirst();
    assertEquals("shm", here.name());
    assertEquals(Optional.empty(), here.obstacle());
    assertEquals(Optional.of("192.0.2.1 is another host"), elsewhere.obstacle());
  }

  @Test
  void saysWhatKeepsItFromBeingClosed() throws Exception {
    Fabric fabric = Fabric.open("tcp");
    Thread worker = Thread.ofPlatform().name("worker").start(fabric::completionQueue);
    worker.join();
    String why = assertThrows(IllegalStateException.class, fabric::close).getMessage();
    assertTrue(why.contains("worker") && why.contains("which has ended"), why);
  }

  @Test
  void asksForTheHostThatIsToBeReached() {
    assertThrows(NullPointerException.class, () -> Fabric.best(null));
    assertThrows(IllegalArgumentException.class, () -> Fabric.best(""));
    assertThrows(IllegalArgumentException.class, () -> Fabric.candidates(" "));
    for (String address : List.of("127.0.0.1:7000", "[::1]:7000")) {
      var wrong = assertThrows(IllegalArgumentException.class, () -> Fabric.best(address));
      assertTrue(wrong.getMessage().contains("leave out the port"), wrong.getMessage());
    }
    assertFalse(Fabric.candidates("::1").isEmpty());
  }

  @Test
  void makesNothingMoreWhenItIsClosed() {
    Fabric fabric = Fabric.open("tcp");
    fabric.close();
    fabric.close();
    assertThrows(IllegalStateException.class, fabric::completionQueue);
    assertThrows(IllegalStateException.class, () -> fabric.listen("127.0.0.1:0"));
    assertEquals("Fabric[tcp, closed]", fabric.toString());
  }

  @Test
  void namesWhatItMakes() {
    try (Fabric fabric = Fabric.open("tcp");
        Listener listener = fabric.listen("127.0.0.1:0");
        CompletionQueue queue = fabric.completionQueue()) {
      assertEquals("Fabric[tcp]", fabric.toString());
      assertEquals("Listener[" + listener.address() + "]", listener.toString());
      assertEquals("CompletionQueue[tcp, of " + Thread.currentThread() + "]", queue.toString());
    }
  }

  @Test
  void canAlwaysUseTcp() {
    var tcp = Fabric.candidates("192.0.2.1").getLast();
    assertEquals("tcp", tcp.name());
    assertTrue(tcp.obstacle().isEmpty());
  }

  @Test
  void canUseNothingToReachAHostWithoutAnAddress() {
    for (Fabric.Candidate each : Fabric.candidates("example.invalid")) {
      assertTrue(each.obstacle().isPresent(), each.name());
    }
    NetException refusal =
        assertThrows(NetException.class, () -> Fabric.best("example.invalid").close());
    assertTrue(refusal.getMessage().contains("check the name"), refusal.getMessage());
  }
}
