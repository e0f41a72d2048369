package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Operation.Use;
import dev.tigris.flow.text.Csv;
import java.io.ByteArrayOutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A dropped module ends alone: what it shares with others stays whole.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DropTest {
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  @TempDir Path folder;

  /// Passes waters. The first replica waits in its first call until it is interrupted, takes one
  /// more water and puts both.
  private static final class Passing implements Module {
    private final CountDownLatch busy;
    private @Nullable ModuleContext context;

    Passing(CountDownLatch busy) {
      this.busy = busy;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) throws InterruptedException {
      if (context.replica() == 0) {
        busy.countDown();
        while (!Thread.currentThread().isInterrupted()) {
          Thread.onSpinWait();
        }
        Water more = context.input().poll();
        out.put(in);
        if (more != null) {
          out.put(more);
        }
      } else {
        busy.await(); // or nothing might be left for the first one
        out.put(in);
      }
    }
  }

  private Path rows(boolean isPacked) throws Exception {
    var text = new StringBuilder("a,b\n");
    for (int i = 0; i < 1000; i++) {
      text.append(i).append(",\"x\ny\"\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
    if (!isPacked) {
      return Files.write(folder.resolve("in.csv"), bytes);
    }
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return Files.write(folder.resolve("in.csv.gz"), packed.toByteArray());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void filesThatReplicasReadAndWriteTogetherStayOpen(boolean isPacked) throws Exception {
    Path out = folder.resolve("out.csv");
    CountDownLatch busy = new CountDownLatch(1);
    Flow flow =
        Flow.named("shared")
            .stage("pass", () -> new Passing(busy), 2)
            .feed("pass", Csv.reading(rows(isPacked)).withBlockBytes(500))
            .drain("pass", Csv.writing(out))
            .build();
    FlowRun run = flow.start();
    busy.await();
    FlowEngine engine = (FlowEngine) run;
    engine.apply(new Operation.Drop(new End("pass", 0))).get(50, TimeUnit.SECONDS);
    assertTrue(run.await(PATIENCE));
    // It was dropped between two calls, so nothing is missing.
    List<String> lines = Files.readAllLines(out);
    assertEquals(2001, lines.size());
    assertEquals(1000, lines.stream().filter(line -> line.endsWith("x")).distinct().count());
  }

  private static FlowEngine engine(Module module) {
    return Flow.named("drop")
        .source("none", () -> out -> false)
        .reservoir(Reservoir.routed())
        .stage("take", () -> module)
        .build()
        .engine();
  }

  private static final End NONE = new End("none", 0);
  private static final End TAKE = new End("take", 0);

  private static Operation.CreateStream stream(StreamKind kind) {
    return new Operation.CreateStream("s", 0, Use.RESERVOIR, "take", NONE, TAKE, kind, 4);
  }

  @Test
  void aStreamThatItWasOpeningIsNoFailure() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    StreamKind slow =
        place -> {
          opening.countDown();
          while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          throw new ClosedByInterruptException();
        };
    FlowEngine engine = engine((in, out) -> {});
    engine.apply(new Operation.CreateModule(TAKE)).get();
    engine.apply(stream(slow)).get();
    CompletableFuture<Answer> attached = engine.apply(new Operation.AttachInput(TAKE, "s"));
    opening.await();
    engine.apply(new Operation.Drop(TAKE)).get(50, TimeUnit.SECONDS);
    assertEquals(Answer.ENDED, attached.get(50, TimeUnit.SECONDS));
    engine.seal();
    assertTrue(engine.await(PATIENCE));
  }

  /// Waits for a water when it is left, as one does that waits until all was received.
  private static final class Lingering extends LockedStream {
    Lingering(StreamKind.Place place) {
      super(place);
    }

    @Override
    protected void detachReceiver() {
      Water _ = get();
    }
  }

  @Test
  void aStreamThatWaitsAsItIsLeftIsNoFailure() throws Exception {
    FlowEngine engine = engine((in, out) -> {});
    engine.apply(new Operation.CreateModule(TAKE)).get();
    engine.apply(stream(Lingering::new)).get();
    engine.apply(new Operation.AttachInput(TAKE, "s")).get(50, TimeUnit.SECONDS);
    engine.apply(new Operation.Drop(TAKE)).get(50, TimeUnit.SECONDS);
    engine.seal();
    assertTrue(engine.await(PATIENCE));
  }

  @Test
  void whatIsAskedOfAStoppedFlowIsAnsweredByEnded() throws Exception {
    FlowEngine engine = engine((in, out) -> {});
    engine.apply(new Operation.CreateModule(NONE)).get();
    engine.cancel();
    assertEquals(Answer.ENDED, engine.apply(new Operation.CreateModule(TAKE)).get());
    engine.apply(stream(StreamKind.memory())).get();
    assertEquals(Answer.ENDED, engine.apply(new Operation.AttachInput(TAKE, "s")).get());
    assertEquals(Answer.ENDED, engine.apply(new Operation.AttachOutput(NONE, "s")).get());
    assertThrows(CancellationException.class, engine::await);
  }

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause for you");
    }
  }

  @Test
  void anExceptionThatThrowsWhenItIsAskedForItsCauseFailsTheFlow() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    Source source =
        out -> {
          busy.countDown();
          while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          throw new Hostile();
        };
    FlowEngine engine = Flow.named("hostile").source("one", () -> source).build().engine();
    End one = new End("one", 0);
    engine.apply(new Operation.CreateModule(one)).get();
    engine.apply(new Operation.Initialize(one)).get();
    engine.apply(new Operation.Start(one)).get();
    busy.await();
    engine.apply(new Operation.Drop(one)).get(50, TimeUnit.SECONDS);
    engine.seal();
    assertThrows(FlowException.class, () -> engine.await(PATIENCE));
  }
}
