package dev.tigris.os;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NamedPipeTest {
  @TempDir Path folder;
  private Path pipe;

  @BeforeEach
  void makePipe() {
    pipe = folder.resolve("pipe");
    String _ = Command.of("mkfifo", pipe.toString()).output();
  }

  private static boolean isOpening() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("tigris-pipe"));
  }

  @ParameterizedTest
  @EnumSource(
      value = StandardOpenOption.class,
      names = {"READ", "WRITE"})
  void anInterruptEndsTheWaitForTheOtherEndAndLeavesNoThread(StandardOpenOption option)
      throws Exception {
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              assertThrows(ClosedByInterruptException.class, () -> NamedPipe.open(pipe, option));
              return Thread.currentThread().isInterrupted();
            });
    Thread waiting = Thread.ofPlatform().start(wait);
    Wait.until("the pipe is being opened", NamedPipeTest::isOpening);
    waiting.interrupt();
    assertTrue(wait.get());
    Wait.until("no thread opens it", () -> !isOpening());
  }

  @Test
  void opensAPipeWhenTheOtherEndIsThere() throws IOException {
    assertTrue(NamedPipe.is(pipe));
    Child writer = Command.shell("printf some > pipe").in(folder).start();
    ByteBuffer read = ByteBuffer.allocate(9);
    try (FileChannel channel = NamedPipe.open(pipe, StandardOpenOption.READ)) {
      while (channel.read(read) >= 0) {
        assertTrue(read.hasRemaining());
      }
    }
    assertEquals("some", new String(read.array(), 0, read.position(), US_ASCII));
    assertEquals(0, writer.exitCode());
  }

  @Test
  void opensFilesAsTheyAre() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assertFalse(NamedPipe.is(file));
    try (FileChannel channel = NamedPipe.open(file, StandardOpenOption.READ)) {
      assertEquals(4, channel.size());
    }
    Path none = folder.resolve("none");
    assertThrows(NoSuchFileException.class, () -> NamedPipe.open(none, StandardOpenOption.READ));
  }
}
