package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.PsoArray;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// File streams in the hands of modules and flows that do not treat them well.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileMisuseTest {
  @TempDir Path folder;

  private List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static void assertRefused(String why, Flow flow) {
    FlowException refused = assertThrows(FlowException.class, flow.start()::await);
    assertEquals(FlowException.Phase.OPEN, refused.phase());
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  /// Nobody would end the waits of the other end, or take what is on its way when the flow is over.
  @Test
  void refusesMemoryWhoseOtherEndIsInNoFlow() {
    assertRefused(
        "use a queue of your own",
        Flow.named("wrong")
            .stage("sink", () -> (in, out) -> {})
            .feed("sink", StreamKind.memory())
            .build());
    assertRefused(
        "use a queue of your own",
        Flow.named("wrong")
            .source("count", Numbers.counting(0, 0))
            .drain("count", StreamKind.memory().withWindow(3))
            .build());
  }

  /// A file that is written and gives nothing would be an empty one, and replace what is there.
  @Test
  void refusesAFileThatGoesTheWrongWay() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "old");
    assertRefused(
        "use FileStream.reading",
        Flow.named("wrong")
            .stage("sink", () -> (in, out) -> {})
            .feed("sink", FileStream.writing(file))
            .build());
    assertRefused(
        "use FileStream.writing",
        Flow.named("wrong")
            .source("count", Numbers.counting(0, 0))
            .drain("count", FileStream.reading(file, 10))
            .build());
    assertRefused(
        "joins two stages",
        Flow.named("wrong")
            .source("count", Numbers.counting(0, 10))
            .reservoir(Reservoir.random().withKind(FileStream.writing(file)))
            .stage("sink", () -> (in, out) -> {})
            .build());
    assertEquals("old", Files.readString(file));
    assertEquals(List.of("file"), names());
  }

  /// The buffer has what the water before had there, which would do for the rest of the container.
  @Test
  void refusesAContainerWhoseEndIsMissing() throws Exception {
    int bytes = 4096;
    Bytes whole = Jbuf.allocate(bytes).asBytes();
    Container container = whole.asContainer();
    container.root(new PsoArray(container, Primitive.INT, 500));
    byte[] file = new byte[bytes + 256];
    whole.copyTo(0, file, 0, bytes);
    whole.copyTo(0, file, bytes, 256);
    Path cut = Files.write(folder.resolve("cut"), file);
    AtomicInteger found = new AtomicInteger();
    FlowRun run =
        Flow.named("cut")
            .stage("look", () -> (in, _) -> found.addAndGet((int) in.container().usedBytes()))
            .feed("look", FileStream.reading(cut, bytes))
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertInstanceOf(CorruptContainerException.class, failure.getCause());
    assertTrue(failure.getMessage().contains("water of 256 bytes"), failure.getMessage());
    assertEquals(container.usedBytes(), found.get(), "the first one is whole");
  }

  /// Has a put fail, and goes on where it was.
  private static final class GoesOn implements Source {
    private int puts;

    @Override
    public boolean produce(Stream out) {
      FileStream file = assertInstanceOf(FileStream.class, out);
      if (puts == 2) {
        file.seek(Long.MAX_VALUE - 1); // where no file reaches
        assertThrows(StreamException.class, () -> Numbers.put(file, puts));
        file.seek(2L * Long.BYTES);
      } else {
        Numbers.put(file, puts);
      }
      return ++puts < 5;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedWriteFailsTheFlowThoughTheModuleGoesOn(boolean sync) throws Exception {
    Path out = folder.resolve("out");
    FlowRun run =
        Flow.named("incomplete")
            .source("count", GoesOn::new)
            .drain("count", FileStream.writing(out, sync))
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertTrue(failure.getMessage().contains("cannot write file " + out), failure.getMessage());
    assertEquals(List.of(), names());
  }

  /// As one does who was interrupted while it stopped something.
  private static final class Interrupted implements Source {
    @Override
    public boolean produce(Stream out) {
      Numbers.put(out, 1);
      return false;
    }

    @Override
    public void destroy() {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aModuleThatLeavesAnInterruptBehindHarmsNoFile() throws Exception {
    Path out = folder.resolve("out");
    Flow.named("interrupted")
        .source("count", Interrupted::new)
        .drain("count", FileStream.writing(out))
        .build()
        .start()
        .await();
    assertEquals(Long.BYTES, Files.size(out));
  }
}
