package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PollSetTest {
  private final List<Signal> signals = new ArrayList<>();
  private PollSet set;

  @BeforeEach
  void open() throws SystemException {
    set = new PollSet();
    for (int i = 0; i < 20; i++) {
      Signal signal = new Signal();
      signals.add(signal);
      set.add(signal.file());
    }
  }

  @AfterEach
  void close() {
    signals.forEach(Signal::close);
    set.close();
  }

  private void expectReady(int... indices) {
    List<Integer> expected = new ArrayList<>();
    for (int index : indices) {
      expected.add(index);
    }
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < signals.size(); i++) {
      if (set.isReady(i)) {
        found.add(i);
      }
    }
    assertEquals(expected, found);
  }

  @Test
  void tellsWhichFilesHaveSomething() {
    set.look();
    expectReady();
    signals.get(3).raise();
    signals.get(19).raise();
    signals.get(19).raise();
    set.look();
    expectReady(3, 19);
    signals.get(19).lower();
    set.await(Long.MAX_VALUE);
    expectReady(3);
    signals.get(3).lower();
    set.look();
    expectReady();
  }

  @Test
  void forgetsItsFiles() {
    signals.get(0).raise();
    set.clear();
    set.add(signals.get(1).file());
    set.look();
    assertFalse(set.isReady(0));
    set.add(signals.get(0).file());
    assertFalse(set.isReady(1));
    set.look();
    assertTrue(set.isReady(1));
  }

  @Test
  void endsOneWaitForEachWake() {
    set.wake();
    set.wake();
    set.await(Long.MAX_VALUE);
    expectReady();
    long start = System.nanoTime();
    set.await(20_000_000);
    assertTrue(System.nanoTime() - start >= 20_000_000);
  }

  private static Thread start(FutureTask<Boolean> waiting, boolean virtual) {
    Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    return builder.start(waiting);
  }

  private FutureTask<Boolean> waitForEver() {
    return new FutureTask<>(
        () -> {
          set.await(Long.MAX_VALUE);
          return Thread.currentThread().isInterrupted();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isWokenByAnotherThread(boolean virtual) throws Exception {
    FutureTask<Boolean> waiting = waitForEver();
    start(waiting, virtual);
    set.wake();
    assertFalse(waiting.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void endsWhenItsThreadIsInterruptedWhichItThenStillIs(boolean virtual) throws Exception {
    FutureTask<Boolean> waiting = waitForEver();
    start(waiting, virtual).interrupt();
    assertTrue(waiting.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void endsWhenAFileHasSomething(boolean virtual) throws Exception {
    FutureTask<Boolean> waiting = waitForEver();
    start(waiting, virtual);
    signals.get(7).raise();
    assertFalse(waiting.get());
    expectReady(7);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void saysWhetherItWasTheTimeThatHasEndedIt(boolean virtual) throws Exception {
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              assertTrue(set.awaitInVain(1));
              set.wake();
              assertFalse(set.awaitInVain(Long.MAX_VALUE));
              signals.get(7).raise();
              assertFalse(set.awaitInVain(Long.MAX_VALUE));
              signals.get(7).lower();
              Thread.currentThread().interrupt();
              return set.awaitInVain(Long.MAX_VALUE);
            });
    start(waiting, virtual);
    assertFalse(waiting.get());
  }

  @Test
  void isNotHarmedByAWakeAfterItsEnd() throws SystemException {
    set.close();
    signals.forEach(Signal::close);
    try (Signal next = new Signal();
        PollSet other = new PollSet()) {
      set.wake();
      signals.forEach(Signal::raise);
      signals.forEach(Signal::lower);
      other.add(next.file());
      other.look();
      assertFalse(other.isReady(0));
    }
  }
}
