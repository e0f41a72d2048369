package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.other.Leak;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What helps to find a Jbuf that was forgotten.
class LeakHelpTest {
  private static final String BUDGET = "-Dtigris.memory.budget=8m";
  private static final String EVENTS = "dev.tigris.memory.";
  private static final String SITES = "-Dtigris.memory.sites=true";

  private static void collectUntilOpen(CountDownLatch latch) throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      System.gc();
      if (latch.await(50, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    throw new AssertionError("the collector has not verified it");
  }

  @Test
  void flightRecorderSeesTheLifeOfAJbuf(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("life.jfr");
    try (Recording recording = new Recording()) {
      for (String event : List.of("Allocate", "Unreference", "Verify", "Free", "Reclaim")) {
        recording.enable(EVENTS + event);
      }
      recording.start();
      CountDownLatch freed = new CountDownLatch(1);
      live(freed);
      collectUntilOpen(freed);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = eventsOf("recorded", file);
    assertEquals(List.of("Allocate", "Unreference", "Verify", "Free"), names(events));
    assertEquals(1, events.stream().map(event -> event.getLong("number")).distinct().count());
    assertTrue(events.stream().allMatch(event -> event.getLong("bytes") == 777));
    assertTrue(
        events.getFirst().getStackTrace().getFrames().stream()
            .map(RecordedFrame::getMethod)
            .anyMatch(method -> method.getName().equals("live")),
        "an allocation has its stack trace");
    assertNull(events.get(2).getStackTrace(), "a verification's would be the verifier's own");
  }

  /// What a recording says of one owner's Jbufs.
  private static List<RecordedEvent> eventsOf(String owner, Path recording) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .filter(event -> event.getEventType().getName().startsWith(EVENTS))
        .filter(event -> owner.equals(event.getString("owner")))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }

  private static List<String> names(List<RecordedEvent> events) {
    return events.stream()
        .map(event -> event.getEventType().getName().substring(EVENTS.length()))
        .toList();
  }

  @Test
  void flightRecorderSeesWhatWasForgottenAndWhereItWasAllocated(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("leak.jfr");
    String printed =
        Jvm.of(Leak.class)
            .options(BUDGET, SITES, "-XX:StartFlightRecording:filename=" + file)
            .command()
            .output();
    assertTrue(printed.contains("reclaimed: 1\n"), printed);
    assertEquals(List.of("Allocate", "Free"), names(eventsOf("holder", file)));
    List<RecordedEvent> events = eventsOf("forgetful", file);
    assertEquals(List.of("Allocate", "Reclaim"), names(events));
    RecordedEvent reclaim = events.getLast();
    assertEquals(events.getFirst().getLong("number"), reclaim.getLong("number"));
    assertEquals(1000, reclaim.getLong("bytes"));
    assertTrue(
        reclaim.getString("site").startsWith(Leak.class.getName() + ".forget(Leak.java:"),
        reclaim::toString);
  }

  private static void live(CountDownLatch freed) {
    Jbuf jbuf = Jbuf.allocate(777, "recorded");
    jbuf.asBytes().set(0, (byte) 1);
    jbuf.unreference(
        verified -> {
          verified.free();
          freed.countDown();
        });
  }

  @Test
  void saysWhereWhatIsHeldOrForgottenWasAllocated() throws Exception {
    String printed = Jvm.of(Leak.class).options(BUDGET, SITES).command().output();
    String leak = Leak.class.getName();
    String hold = leak + ".hold(Leak.java:";
    assertTrue(printed.contains("held: {" + hold), printed);
    assertTrue(printed.contains(" < " + leak + ".main(Leak.java:"), printed);
    assertTrue(
        printed.lines().anyMatch(line -> line.startsWith("refused: ") && line.contains(hold)),
        printed);
    assertTrue(
        printed
            .lines()
            .anyMatch(
                line ->
                    line.contains("reclaimed a Jbuf of 1000 bytes of 'forgetful'")
                        && line.contains("allocated by " + leak + ".forget(Leak.java:")),
        printed);
  }

  @Test
  void withoutBeingAskedItSaysHowToAsk() throws Exception {
    String printed = Jvm.of(Leak.class).options(BUDGET).command().output();
    assertTrue(printed.contains("held: {}"), printed);
    assertTrue(printed.contains("tigris.memory.sites=true"), printed);
    assertFalse(printed.contains("Leak.java"), printed);
    assertTrue(printed.endsWith("reclaimed: 1\n"), printed);
  }

  @Test
  void worksWhereThereIsNoFlightRecorder() throws Exception {
    String printed =
        Jvm.of(Leak.class).options(BUDGET, "--limit-modules", "java.base").command().output();
    assertTrue(printed.endsWith("reclaimed: 1\n"), printed);
  }
}
