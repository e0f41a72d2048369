package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Failures that cannot even be told: a flow that could not say what went wrong, and then ended as
/// if nothing had, would leave output that looks right.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LastResortTest {
  /// Its message fails too, as that of a class with a mistake in it does.
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  void aFailureWhoseDescriptionFailsIsNamedByItsClass() {
    Error error =
        new Error() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new StackOverflowError();
          }
        };
    FlowException failure =
        new FlowException("mute", "failing", 0, FlowException.Phase.INIT, error);
    assertTrue(failure.getMessage().endsWith(error.getClass().getName()), failure.getMessage());
  }

  /// One that does not even say what has caused it.
  private static final class Secretive extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause");
    }
  }

  @Test
  void aSecondFailureThatHidesItsCauseEndsNoThreadByItself() {
    List<Throwable> escaped = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> escaped.add(thrown));
    try {
      CyclicBarrier both = new CyclicBarrier(2);
      Supplier<Source> failing =
          () ->
              out -> {
                meet(both);
                throw new Secretive();
              };
      Flow flow = Flow.named("secretive").source("failing", failing, 2).build();
      FlowException failure = assertThrows(FlowException.class, () -> Numbers.run(flow));
      assertEquals("failing", failure.stage());
      assertEquals(List.of(), escaped);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"init", "produce", "destroy"})
  void aFailureWithoutAMessageFailsTheFlow(String phase) {
    Mute mute = new Mute();
    Source failing =
        new Source() {
          @Override
          public void init(ModuleContext context) {
            throwIn("init");
          }

          @Override
          public boolean produce(Stream out) {
            Numbers.put(out, 1);
            throwIn("produce");
            return false;
          }

          @Override
          public void destroy() {
            throwIn("destroy");
          }

          private void throwIn(String now) {
            if (now.equals(phase)) {
              throw mute;
            }
          }
        };
    FlowRun run =
        Flow.named("mute")
            .source("failing", () -> failing)
            .reservoir(Reservoir.roundRobin())
            .stage("take", () -> (in, out) -> {})
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertSame(mute, failure.getCause());
    assertEquals(
        "flow mute failed: stage failing, replica 0, in %s: %s"
            .formatted(phase, Mute.class.getName()),
        failure.getMessage());
  }

  @Test
  void aFailureThatThereIsNoMemoryToTellFailsTheFlow() throws Exception {
    String printed = LeaseCheckTest.run(FillsTheHeap.class, "-Xmx32m");
    assertTrue(printed.startsWith("flow full failed: stage "), printed); // any that allocates
    assertTrue(printed.contains("java.lang.OutOfMemoryError"), printed);
  }

  private static void meet(CyclicBarrier both) {
    try {
      both.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
