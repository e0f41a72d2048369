package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.Word;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Orders of attempts that are over, of another run, and of none, reach a live worker before each
/// order of its own: they change nothing. The test is its coordinator.
@Slow("plays a coordinator, beat by beat")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OldOrdersTest {
  private static final RunId RUN = new RunId(0x01d, 2);
  private static final Epoch EPOCH = new Epoch(RUN, 2);
  private static final long TOKEN = 77;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int WORKER = 0;
  private static final int STRANGER = 1;

  @TempDir private Path temporary;

  private final AtomicBoolean isHalted = new AtomicBoolean();
  private final Network network = Network.OneHost.best();
  private Path outputs = Path.of("");
  private byte[] description = {};

  /// Starts the worker; the future completes when it has left.
  private CompletableFuture<Void> start(String coordinator) throws IOException {
    long minute = TimeUnit.MINUTES.toNanos(1);
    Limits limits = new Limits(1, 3, BEAT_NANOS, 2 * minute, minute, minute);
    Contact contact = new Contact(network, coordinator, TOKEN, 5, limits, List.of());
    Path folder = Files.createDirectory(temporary.resolve("run"));
    CompletableFuture<Void> left = new CompletableFuture<>();
    Thread _ =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    new Worker(EPOCH, 0, folder, contact, () -> isHalted.set(true)).run();
                    left.complete(null);
                  } catch (Throwable e) {
                    left.completeExceptionally(e);
                  }
                });
    return left;
  }

  private void describe() throws Exception {
    outputs = Files.createDirectory(temporary.resolve("outputs"));
    Arguments looking =
        Arguments.looking(
            List.of(outputs.toString()), 1, 1, 3, Instant.EPOCH, new FilePlaces.OneHost(1));
    Described _ = Programs.describe(Writes.class, looking);
    description =
        Frame.bytes(
            out -> {
              Wire.writeText(out, Writes.class.getName());
              looking.settled().write(out);
            });
  }

  @Test
  void changeNothing() throws Exception {
    describe();
    try (ControlLink link =
        new ControlLink(network.messages(), ControlLink.COORDINATOR, TOKEN, PATIENCE)) {
      CompletableFuture<Void> left = start(link.listen(network));
      Report joined = next(link, 0);
      String address = assertInstanceOf(Word.Joined.class, joined.word()).address();
      String control = Streams.controlOf(address);
      String name = Streams.workerName(EPOCH, 0);
      assertNotNull(
          link.map(STRANGER, control, name, TOKEN + 1, Duration.ofMillis(500)), "a wrong token");
      assertNull(link.map(WORKER, control, name, TOKEN, PATIENCE));

      step(link, new Order.Step.Describe(), Word.Joined.class, Word.Described.class);
      step(link, new Order.Step.Wire(List.of(address)), Word.Described.class, Word.Wired.class);
      assertEquals(0, named(), "no output has its name");
      step(link, new Order.Step.Initialize(), Word.Wired.class, Word.Initialized.class);
      step(link, new Order.Step.Run(), Word.Initialized.class, Word.Ended.class);
      step(link, new Order.Step.Prepare(), Word.Ended.class, Word.Prepared.class);
      assertEquals(0, named(), "no output has its name");
      step(link, new Order.Step.Publish(), Word.Prepared.class, Word.Published.class);
      assertEquals(Writes.REPLICAS, named());
      step(link, new Order.Step.Leave(), Word.Published.class, null);
      left.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    }
    assertFalse(isHalted.get());
    assertEquals(Writes.REPLICAS, named());
  }

  private long named() throws IOException {
    try (Stream<Path> all = Files.list(outputs)) {
      return all.filter(each -> each.getFileName().toString().startsWith("out-")).count();
    }
  }

  /// Sends all old orders, sees that the worker stays as it is, and sends the one that is due.
  private void step(
      ControlLink link,
      Order.Step step,
      Class<? extends Word> before,
      @Nullable Class<? extends Word> after)
      throws Exception {
    Report last = next(link, 0);
    send(link, Frame.of(new Order(EPOCH, last.number(), new Order.Step.Wait()), new byte[0]));
    for (byte[] message : oldOrders()) {
      send(link, message);
    }
    for (int beat = 0; beat < 4; beat++) { // those that follow were made after the orders
      last = next(link, last.number());
      assertInstanceOf(before, last.word());
    }
    byte[] beside = step instanceof Order.Step.Describe ? description : new byte[0];
    send(link, Frame.of(new Order(EPOCH, last.number(), step), beside));
    while (after != null && !after.isInstance(last.word())) {
      last = next(link, last.number());
      assertFalse(
          last.word() instanceof Word.Failing || last.word() instanceof Word.Failed,
          last::toString);
    }
  }

  private static void send(ControlLink link, byte[] message) {
    Wait.until(
        "a message is sent",
        () -> {
          link.await(Duration.ofMillis(1));
          return link.send(WORKER, message);
        });
  }

  /// Returns the next report with a higher number.
  private static Report next(ControlLink link, long above) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      byte[] message = link.next();
      if (message == null) {
        link.await(Duration.ofMillis(10));
      } else if (Frame.read(message) instanceof Frame.Content.OfReport(Report report, var _)
          && report.number() > above) {
        return report;
      }
    }
    throw new AssertionError("no report above " + above);
  }

  private List<byte[]> oldOrders() {
    List<Order.Step> steps =
        List.of(
            new Order.Step.Wait(),
            new Order.Step.Describe(),
            new Order.Step.Wire(List.of("nowhere")),
            new Order.Step.Initialize(),
            new Order.Step.Run(),
            new Order.Step.Prepare(),
            new Order.Step.Publish(),
            new Order.Step.Abort("of an old attempt"),
            new Order.Step.Leave());
    List<Epoch> epochs =
        List.of(new Epoch(RUN, 1), new Epoch(RUN, 3), new Epoch(new RunId(7, RUN.low()), 2));
    List<byte[]> all = new ArrayList<>();
    for (Epoch epoch : epochs) {
      for (Order.Step step : steps) {
        all.add(Frame.of(new Order(epoch, Long.MAX_VALUE, step), new byte[] {1, 2}));
      }
    }
    all.add(new byte[0]);
    all.add(new byte[] {1, 0, 0});
    all.add(Frame.of(new Report(EPOCH, 0, 1, new Word.Running()), new byte[0]));
    return all;
  }
}
