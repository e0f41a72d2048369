package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A flow that is drained ends well with what it was given: nothing that was put is lost.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DrainTest {
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  @TempDir Path folder;
  private final AtomicLong put = new AtomicLong();
  private final CountDownLatch some = new CountDownLatch(100);

  /// Puts waters without an end.
  private boolean produce(Stream out) {
    Numbers.put(out, put.getAndIncrement());
    some.countDown();
    return true;
  }

  @Test
  void allThatSourcesHavePutIsWorkedOff() throws Exception {
    AtomicInteger finished = new AtomicInteger();
    Numbers.Collected collected = new Numbers.Collected();
    FlowRun run =
        Flow.named("drain")
            .source("s", () -> this::produce, 2)
            .reservoir(Reservoir.lottery().withWindow(4))
            .stage("m", () -> new Numbers.Finishing(finished), 3)
            .reservoir(Reservoir.leastOutstanding())
            .stage("e", collected.module(), 2)
            .build()
            .start();
    some.await();
    run.drain();
    run.drain();
    assertTrue(run.await(PATIENCE));
    assertEquals(put.get(), collected.count());
    assertEquals(put.get(), collected.sorted().stream().distinct().count());
    assertEquals(3, finished.get());
    run.drain(); // too late, and to no effect
  }

  @Test
  void aFeedEndsAndWhatComesFromOtherStagesIsTaken() throws Exception {
    Path file = Files.write(folder.resolve("in"), new byte[1 << 20]);
    Path output = folder.resolve("out");
    AtomicLong fed = new AtomicLong();
    AtomicLong taken = new AtomicLong();
    FlowRun run =
        Flow.named("drain")
            .source("s", () -> this::produce)
            .reservoir(Reservoir.lottery().withWindow(1))
            .stage(
                "m",
                () ->
                    (in, out) -> {
                      if (in.bytes().length() == Long.BYTES) {
                        taken.incrementAndGet();
                      } else {
                        fed.incrementAndGet();
                      }
                      out.put(in);
                    })
            .feed("m", "in", FileStream.reading(file, 64))
            .drain("m", FileStream.writing(output))
            .build()
            .start();
    some.await();
    run.drain();
    assertTrue(run.await(PATIENCE));
    assertEquals(put.get(), taken.get());
    assertEquals(64 * fed.get() + Long.BYTES * taken.get(), Files.size(output));
  }

  @Test
  void aModuleMayBeToldBeforeItWorks() throws Exception {
    FlowEngine engine =
        Flow.named("drain")
            .source("s", () -> this::produce)
            .reservoir(Reservoir.routed())
            .stage("e", () -> (in, out) -> {})
            .build()
            .engine();
    End source = new End("s", 0);
    assertEquals(Answer.APPLIED, applied(engine, new Operation.CreateModule(source)));
    assertEquals(Answer.APPLIED, applied(engine, new Operation.EndFeeds(source)));
    assertEquals(Answer.APPLIED, applied(engine, new Operation.Initialize(source)));
    assertEquals(Answer.APPLIED, applied(engine, new Operation.Start(source)));
    engine.seal();
    assertTrue(engine.await(PATIENCE));
    assertEquals(0, put.get());
    assertEquals(Answer.ENDED, applied(engine, new Operation.EndFeeds(source)));
  }

  @Test
  void aModuleThatIsCreatedLaterDrainsToo() throws Exception {
    FlowEngine engine =
        Flow.named("drain")
            .source("s", () -> this::produce)
            .reservoir(Reservoir.routed())
            .stage("e", () -> (in, out) -> {})
            .build()
            .engine();
    engine.drain();
    End source = new End("s", 0);
    assertEquals(Answer.APPLIED, applied(engine, new Operation.CreateModule(source)));
    assertEquals(Answer.APPLIED, applied(engine, new Operation.Initialize(source)));
    assertEquals(Answer.APPLIED, applied(engine, new Operation.Start(source)));
    engine.seal();
    assertTrue(engine.await(PATIENCE));
    assertEquals(0, put.get());
  }

  private static Answer applied(FlowEngine engine, Operation operation) throws Exception {
    return engine.apply(operation).get(50, TimeUnit.SECONDS);
  }
}
