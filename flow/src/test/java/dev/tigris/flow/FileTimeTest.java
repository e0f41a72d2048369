package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.ends.DrainStream;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.flow.text.Csv;
import dev.tigris.memory.Bytes;
import dev.tigris.testing.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// How long modules were with files.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileTimeTest {
  private static final long WRITE_NANOS = 2_000_000;
  private static final int WATERS = 50;

  @TempDir private Path folder;

  /// A drain whose writes do what a test says.
  private record Slow(Runnable write) implements DrainStream.Sink {
    @Override
    public String output() {
      return null;
    }

    @Override
    public void write(Bytes bytes, int size) {
      write.run();
    }

    @Override
    public void prepare() {}

    @Override
    public void close(boolean complete) {}

    static StreamKind kind(Runnable write) {
      return place -> new DrainStream(place, new Slow(write));
    }
  }

  private static void takeTime() {
    long end = System.nanoTime() + WRITE_NANOS;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static FlowRun start(int waters, Runnable write) {
    return Flow.named("files")
        .source("count", Numbers.counting(0, waters))
        .reservoir(Reservoir.random().withWindow(1))
        .stage("write", () -> (in, out) -> out.put(in))
        .drain("write", Slow.kind(write))
        .build()
        .start();
  }

  /// Returns the last snapshot of the writing replica, all of whose time is one thing or another.
  private static FlowSnapshot.Replica writer(FlowRun run) throws Exception {
    run.await();
    FlowSnapshot last = run.snapshot();
    FlowSnapshot.Replica writer = last.replicas().get(1);
    assertEquals(0, last.replicas().getFirst().diskNanos());
    assertTrue(
        writer.diskNanos() + writer.inputWaitNanos() + writer.creditWaitNanos()
            <= last.elapsedNanos(),
        last::toString);
    return writer;
  }

  @Test
  void aWriteIsTimeWithFilesAndNoWait() throws Exception {
    FlowSnapshot.Replica writer =
        writer(
            start(
                WATERS,
                () -> {
                  try (FileTime _ = FileTime.begin()) {
                    takeTime();
                  }
                }));
    assertTrue(writer.diskNanos() >= WATERS * WRITE_NANOS, writer::toString);
    assertEquals(0, writer.creditWaitNanos());
    assertTrue(writer.serviceNanos() >= WRITE_NANOS, writer::toString);
  }

  @Test
  void aTimeWithinAnotherOneCountsOnce() throws Exception {
    FlowSnapshot.Replica writer =
        writer(
            start(
                WATERS,
                () -> {
                  try (FileTime _ = FileTime.begin();
                      FileTime _ = FileTime.begin()) {
                    takeTime();
                  }
                }));
    assertTrue(writer.diskNanos() >= WATERS * WRITE_NANOS, writer::toString);
  }

  @Test
  void aTimeThatIsNotOverIsCounted() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        start(
            1,
            () -> {
              try (FileTime _ = FileTime.begin()) {
                goOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Wait.until(
        "the write is seen",
        () -> run.snapshot().replicas().get(1).diskNanos() >= 50 * WRITE_NANOS);
    goOn.countDown();
    FlowSnapshot.Replica writer = writer(run);
    assertTrue(writer.diskNanos() >= 50 * WRITE_NANOS, writer::toString);
  }

  @Test
  void timeOfThreadsThatAreNoModulesIsNotCounted() throws Exception {
    FlowSnapshot.Replica writer =
        writer(
            start(
                1,
                () -> {
                  Thread other =
                      Thread.startVirtualThread(
                          () -> {
                            try (FileTime _ = FileTime.begin()) {
                              takeTime();
                            }
                          });
                  assertEquals(true, joined(other));
                }));
    try (FileTime _ = FileTime.begin()) {
      assertEquals(0, writer.diskNanos());
    }
  }

  private static boolean joined(Thread other) {
    try {
      other.join();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private static long diskNanos(Flow flow) throws Exception {
    FlowRun run = flow.start();
    run.await();
    return run.snapshot().replicas().getFirst().diskNanos();
  }

  @Test
  void theKindsOfStreamsFromAndToFilesCountTheirs() throws Exception {
    Path in = folder.resolve("in.csv");
    Files.writeString(in, "name,count\n" + "an apple,17\n".repeat(20_000));
    StreamKind reads = FileStream.reading(in, 64 << 10);
    Module takes = (water, out) -> {};
    Module passes = (water, out) -> out.put(water);
    assertTrue(
        diskNanos(Flow.named("reads").stage("read", () -> takes).feed("read", reads).build()) > 0);
    assertTrue(
        diskNanos(
                Flow.named("writes")
                    .source("write", Numbers.counting(0, 100))
                    .drain("write", FileStream.writing(folder.resolve("out")))
                    .build())
            > 0);
    assertTrue(
        diskNanos(
                Flow.named("rows")
                    .stage("read", () -> takes)
                    .feed("read", Csv.reading(List.of(in)))
                    .build())
            > 0);
    assertTrue(
        diskNanos(
                Flow.named("text")
                    .stage("pass", () -> passes)
                    .feed("pass", Csv.reading(List.of(in)))
                    .drain("pass", Csv.writing(folder.resolve("out.csv")))
                    .build())
            > 0);
    mirrored(in, reads, takes, passes);
  }

  private void mirrored(Path in, StreamKind reads, Module takes, Module passes) throws Exception {
    List<Path> disks =
        List.of(
            Files.createDirectory(folder.resolve("disk0")),
            Files.createDirectory(folder.resolve("disk1")));
    List<String> warnings = new ArrayList<>();
    long drained =
        diskNanos(
            Flow.named("copies")
                .stage("pass", () -> passes)
                .feed("pass", reads)
                .drain("pass", Mirror.writing("data", disks, false, 64 << 10, 2, warnings::add))
                .build());
    assertTrue(drained > 0);
    assertEquals(List.of(), warnings);
    assertTrue(
        diskNanos(
                Flow.named("reads")
                    .stage("read", () -> takes)
                    .feed("read", Mirror.open(disks.getFirst().resolve("data.mirror")).feed())
                    .build())
            > 0);
    assertEquals(Files.size(in), Mirror.open(disks.getFirst().resolve("data.mirror")).bytes());
  }
}
