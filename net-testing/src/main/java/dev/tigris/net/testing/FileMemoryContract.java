package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract for memory of mapped files, of which other processes can remove pages.
public abstract class FileMemoryContract extends FabricContract {
  private static final int ROUNDS = 5;

  @TempDir Path folder;

  /// Runs on this provider.
  protected FileMemoryContract(Subject subject) {
    super(subject);
  }

  /// A file that is mapped.
  private record Mapped(Path path, Bytes bytes) {
    static Mapped of(Path folder, Mapping mapping, byte[] content) {
      try {
        Path path = Files.write(Files.createTempFile(folder, "message", ""), content);
        return new Mapped(path, Jbuf.map(path, mapping).asBytes());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    void cut(int left) {
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        file.truncate(left);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private Ticket inFile(Side side, byte[] content) {
    Mapped mapped = Mapped.of(folder, Mapping.SHARED, content);
    return side.call(() -> side.link().register(mapped.bytes()));
  }

  private static byte[] random(int seed, int bytes) {
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5_000, 40_000, 300_000, 3_000_000})
  void carriesMessagesOutOfAFileAndIntoOne(int bytes) {
    connect();
    Ticket memory = inFile(right, new byte[bytes]);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] content = random(round, bytes);
      Ticket message = inFile(left, content);
      right.receive(memory);
      Future<Descriptor> sent = left.start(() -> sendAndAwait(message));
      expect(right, memory, Status.DONE);
      assertEquals(message, get(sent));
      assertEquals(Status.DONE, message.status());
      expectContent(content, memory);
    }
  }

  private Descriptor sendAndAwait(Descriptor message) {
    left.link().postSend(message).orThrow();
    return left.queue().await(Side.LONG_NANOS);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 30_000, 500_000})
  void gathersAndScattersWhatLiesInFilesAndElsewhere(int bytes) {
    connect();
    byte[] first = random(1, bytes);
    byte[] second = random(2, bytes);
    Ticket[] parts = {right.memory(bytes), inFile(right, new byte[bytes])};
    Descriptor memory = right.receive(Descriptor.of(parts));
    Descriptor message = Descriptor.of(inFile(left, first), left.memory(second));
    Future<Descriptor> sent = left.start(() -> sendAndAwait(message));
    expect(right, memory, Status.DONE);
    get(sent);
    for (int i = 0; i < bytes; i++) {
      assertEquals(first[i], Side.bytes(parts[0]).get(i));
      assertEquals(second[i], Side.bytes(parts[1]).get(i));
    }
  }

  private static void expectLost(Side side, VirtualInterface broken) {
    side.link(broken);
    expectBroken(side);
    String why = broken.failure().getMessage();
    assertTrue(why.contains("file") && why.contains("shorter"), why);
  }

  /// Of two connections of the same sides, the first; the second is the sides' [Side#link].
  private record Pair(VirtualInterface left, VirtualInterface right) {}

  private Pair connectTwice() {
    connect();
    Pair first = new Pair(left.link(), right.link());
    connect();
    return first;
  }

  /// That the one connection goes on, and nothing is thrown.
  private void exchangeMessages() {
    Ticket memory = right.memory(100_000);
    Ticket message = left.memory(100_000);
    for (int round = 0; round < ROUNDS; round++) {
      right.receive(memory);
      Future<Descriptor> sent = left.start(() -> sendAndAwait(message));
      expect(right, memory, Status.DONE);
      assertEquals(message, get(sent));
    }
  }

  /// For the bytes of a message, how many of them are left of its file, and how that is mapped.
  @ParameterizedTest
  @CsvSource({
    "64, 0, SHARED",
    "64, 0, PRIVATE",
    "5_000, 0, SHARED",
    "40_000, 0, PRIVATE",
    "40_000, 8192, SHARED",
    "1_000_000, 0, SHARED",
    "1_000_000, 500_000, SHARED"
  })
  @Retention(RetentionPolicy.RUNTIME)
  @interface WithCutFiles {}

  /// What is left of the file is sent, or not, before the rest is missed.
  @WithCutFiles
  void breaksOnlyTheConnectionWhoseMessageIsGone(String bytes, String rest, Mapping mapping) {
    Pair first = connectTwice();
    int length = number(bytes);
    Mapped mapped = Mapped.of(folder, mapping, new byte[length]);
    Ticket message = left.call(() -> first.left().register(mapped.bytes()));
    Ticket awaited = left.call(() -> first.left().register(mapped.bytes()));
    Ticket memory = right.call(() -> first.right().register(memoryOf(right, length)));
    right.run(() -> first.right().postReceive(memory).orThrow());
    mapped.cut(number(rest));
    left.run(
        () -> {
          first.left().postReceive(awaited).orThrow();
          first.left().postSend(message).orThrow();
          first.left().ring();
        });
    assertEquals(Status.FLUSHED, left.next().status());
    assertEquals(Status.FLUSHED, left.next().status());
    expect(right, memory, Status.FLUSHED);
    exchangeMessages();
    expectLost(left, first.left());
    expectFlushed(left, message, awaited);
    right.link(first.right());
    expectBroken(right);
  }

  private static int number(String text) {
    return Integer.parseInt(text.replace("_", ""));
  }

  private static Bytes memoryOf(Side side, int bytes) {
    return side.allocate(bytes, "test").asBytes();
  }

  /// The first message finds its memory, so that a provider may expect the next one where that
  /// belongs.
  @WithCutFiles
  void breaksOnlyTheConnectionThatHasNoMemoryForAMessage(
      String bytes, String rest, Mapping mapping) {
    Pair first = connectTwice();
    int length = number(bytes);
    Mapped mapped = Mapped.of(folder, mapping, new byte[length]);
    Ticket good = right.call(() -> first.right().register(memoryOf(right, length)));
    Ticket lost = right.call(() -> first.right().register(mapped.bytes()));
    Ticket next = right.call(() -> first.right().register(memoryOf(right, length)));
    mapped.cut(number(rest));
    right.run(
        () -> {
          first.right().postReceive(good).orThrow();
          first.right().postReceive(lost).orThrow();
          first.right().postReceive(next).orThrow();
        });
    Future<String> sent =
        left.start(
            () -> {
              for (int i = 0; i < 2; i++) {
                Ticket message = first.left().register(memoryOf(left, length));
                first.left().postSend(message).orThrow();
              }
              while (first.left().outstanding() > 0) {
                Descriptor _ = left.queue().await(Side.LONG_NANOS); // it may break before
              }
              return "done";
            });
    expect(right, good, Status.DONE);
    expect(right, lost, Status.FLUSHED);
    expect(right, next, Status.FLUSHED);
    assertEquals("done", get(sent));
    exchangeMessages();
    expectLost(right, first.right());
    left.link(first.left());
    expectBroken(left);
  }

  /// Nobody who polls or rings has to expect more than a completion.
  @Test
  void throwsNothingOutOfADoorbellForAMessageThatIsGone() {
    connect();
    Mapped mapped = Mapped.of(folder, Mapping.SHARED, new byte[20_000]);
    Ticket message = left.call(() -> left.link().register(mapped.bytes()));
    Ticket behind = left.memory(text("behind"));
    mapped.cut(0);
    left.run(
        () -> {
          left.link().postSend(message).orThrow();
          left.link().postSend(behind).orThrow();
          left.link().ring();
          while (left.link().state() == InterfaceState.CONNECTED) {
            Descriptor next = left.queue().poll();
            assertTrue(next == null || next.status() == Status.FLUSHED, String.valueOf(next));
          }
        });
    expectLost(left, left.link());
    expectFlushed(left, message, behind);
  }
}
