package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LastingFileTest {
  @TempDir Path folder;

  private static LastingFile open(Path file, StandardOpenOption option) throws IOException {
    return new LastingFile(file, FileChannel.open(file, option), option);
  }

  private static String read(LastingFile file) throws IOException {
    ByteBuffer room = ByteBuffer.allocate(10);
    int read = file.read(room, 0);
    return new String(room.array(), 0, read, StandardCharsets.US_ASCII);
  }

  @Test
  void anInterruptedThreadReadsOnAndStaysInterrupted() throws Exception {
    Path path = Files.writeString(folder.resolve("file"), "some text");
    try (LastingFile file = open(path, StandardOpenOption.READ)) {
      Thread.currentThread().interrupt();
      assertEquals("some text", read(file));
      assertTrue(Thread.interrupted());
      assertEquals("some text", read(file));
      assertEquals(9, file.size());
    }
  }

  @Test
  void anInterruptedThreadWritesOn() throws Exception {
    Path path = Files.writeString(folder.resolve("file"), "");
    try (LastingFile file = open(path, StandardOpenOption.WRITE)) {
      Thread.currentThread().interrupt();
      assertEquals(3, file.write(ByteBuffer.wrap(new byte[] {'a', 'b', 'c'}), 0));
      assertTrue(Thread.interrupted());
      assertEquals(1, file.write(ByteBuffer.wrap(new byte[] {'d'}), 3));
      file.force();
    }
    assertEquals("abcd", Files.readString(path));
  }

  @Test
  void refusesAnotherFileUnderItsName() throws Exception {
    Path path = Files.writeString(folder.resolve("file"), "one");
    try (LastingFile file = open(path, StandardOpenOption.READ)) {
      Files.move(path, folder.resolve("moved"));
      Files.writeString(path, "two");
      assertEquals("one", read(file));
      Thread.currentThread().interrupt();
      IOException thrown = assertThrows(IOException.class, () -> read(file));
      assertTrue(Thread.interrupted());
      assertTrue(thrown.getMessage().contains("was replaced"), thrown.getMessage());
    }
  }

  @Test
  void staysClosed() throws Exception {
    Path path = Files.writeString(folder.resolve("file"), "one");
    LastingFile file = open(path, StandardOpenOption.READ);
    file.close();
    assertThrows(ClosedChannelException.class, () -> read(file));
  }
}
