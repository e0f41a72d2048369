package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.Word;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Messages of an attempt that was given up, of another run, and of none, reach the coordinator of
/// a live run from one that knows its token: they change nothing.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OldMessagesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int COUNT = 400;
  private static final int COORDINATOR = 0;

  @TempDir private Path temporary;

  @Slow("starts six JVMs")
  @Test
  void changeNothing() throws Exception {
    Path here = temporary.resolve("here");
    Path go = temporary.resolve("go");
    Path outputs = Files.createDirectory(temporary.resolve("outputs"));
    ClusterRun run =
        Cluster.processes(Numbered.REPLICAS)
            .withAttempts(2)
            .withRuns(temporary.resolve("runs"))
            .start(
                Numbered.class,
                outputs.toString(),
                String.valueOf(COUNT),
                here.toString(),
                go.toString());
    Path folder = run.folder().orElseThrow();
    Wait.until("the first attempt runs", () -> Files.exists(here));
    Files.delete(here);
    ProcessHandle worker =
        ProcessHandle.current()
            .children()
            .filter(each -> each.info().commandLine().orElse("").contains(folder.toString()))
            .findFirst()
            .orElseThrow();
    assertEquals(true, worker.destroyForcibly());
    Wait.until("the second attempt runs", () -> Files.exists(here));
    send(RunFolder.read(RunFolder.control(folder)));
    Path _ = Files.createFile(go);
    var _ = run.await();
    assertEquals(2, run.progress().attempt());
    Numbered.requireAll(outputs, COUNT);
  }

  private static void send(Map<String, String> facts) throws Exception {
    Contact contact = Contact.of(facts);
    Epoch old = new Epoch(RunId.parse(Contact.need(facts, "run")), 1);
    String name = Streams.workerName(old, 0);
    try (ControlLink link =
        new ControlLink(contact.network().messages(), name, contact.token(), PATIENCE)) {
      String _ = link.listen(contact.network());
      assertNull(
          link.map(
              COORDINATOR, contact.address(), ControlLink.COORDINATOR, contact.token(), PATIENCE));
      for (byte[] message : messages(old)) {
        Wait.until(
            "a message is sent",
            () -> {
              link.await(Duration.ofMillis(1));
              return link.send(COORDINATOR, message);
            });
      }
      link.drain(PATIENCE);
    }
  }

  private static List<byte[]> messages(Epoch old) {
    Failure failure = new Failure(Failure.Kind.MODULE, 0, "of an old attempt");
    List<Word> words =
        List.of(
            new Word.Joined("nowhere"),
            new Word.Described(Map.of("all", "other")),
            new Word.Initialized(),
            new Word.Running(),
            new Word.Ended(ByteBuffer.allocate(0)),
            new Word.Prepared(),
            new Word.Published(List.of("an output"), List.of("a stream")),
            new Word.Failing(failure),
            new Word.Failed(failure),
            new Word.Aborted());
    List<Epoch> epochs =
        List.of(old, new Epoch(old.run(), 3), new Epoch(new RunId(7, old.run().low()), 2));
    List<byte[]> all = new ArrayList<>();
    for (Epoch epoch : epochs) {
      for (Word word : words) {
        all.add(Frame.of(new Report(epoch, 0, Long.MAX_VALUE, word), new byte[0]));
        all.add(Frame.of(new Report(epoch, 9, 1, word), new byte[] {1, 2, 3}));
      }
    }
    all.add(new byte[0]);
    all.add(new byte[] {1, 1, 1});
    all.add(new byte[100]);
    return all;
  }
}
