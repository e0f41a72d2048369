package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.raw.SharedPages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Memory that another process can be given to read: here this one, by the descriptor.
@EnabledOnOs(OS.LINUX)
class SharedJbufTest {
  private static final int BYTES = 10_000;

  private static Path file(View view) {
    return Path.of("/proc/self/fd/" + view.sharedFile().getAsInt());
  }

  private static void free(Jbuf jbuf) throws InterruptedException {
    CountDownLatch freed = new CountDownLatch(1);
    jbuf.unreference(
        j -> {
          j.free();
          freed.countDown();
        });
    for (int round = 0; round < 200 && !freed.await(50, TimeUnit.MILLISECONDS); round++) {
      System.gc();
    }
    assertEquals(State.FREED, jbuf.state());
  }

  @Test
  void isReadByWhoeverHasItsDescriptor() throws Exception {
    Jbuf jbuf = Jbuf.allocate(BYTES, "test", PageKind.SHARED);
    useAndRead(jbuf);
    free(jbuf);
  }

  private static void useAndRead(Jbuf jbuf) throws IOException {
    Bytes bytes = jbuf.asBytes();
    assertEquals(BYTES, bytes.capacityBytes());
    for (int i = 0; i < BYTES; i++) {
      assertEquals(0, bytes.get(i));
      bytes.set(i, (byte) (i * 7));
    }
    try (FileChannel other = FileChannel.open(file(bytes), StandardOpenOption.READ)) {
      assertEquals(SharedPages.roundedBytes(BYTES), other.size());
      MappedByteBuffer there = other.map(MapMode.READ_ONLY, 0, BYTES);
      byte[] here = new byte[BYTES];
      byte[] read = new byte[BYTES];
      bytes.copyTo(0, here, 0, BYTES);
      there.get(read);
      assertArrayEquals(here, read);
      bytes.set(BYTES - 1, (byte) 99);
      assertEquals(99, there.get(BYTES - 1));
    }
  }

  @Test
  void isChangedByNobodyElse() throws IOException {
    Jbuf jbuf = Jbuf.allocate(BYTES, "test", PageKind.SHARED);
    Bytes bytes = jbuf.asBytes();
    try (FileChannel other =
        FileChannel.open(file(bytes), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertThrows(IOException.class, () -> other.map(MapMode.READ_WRITE, 0, BYTES));
      assertThrows(IOException.class, () -> other.write(ByteBuffer.allocate(1), 0));
      assertThrows(IOException.class, () -> other.truncate(0));
      assertThrows(IOException.class, () -> other.write(ByteBuffer.allocate(1), 1 << 20));
    }
    bytes.set(0, (byte) 1);
    assertEquals(1, bytes.get(0));
  }

  @Test
  void isAccountedForAndLeavesNothingOpen() throws Exception {
    long used = Jbuf.use().usedBytes();
    String name = "shared-" + System.nanoTime();
    Jbuf jbuf = Jbuf.allocate(BYTES, name, PageKind.SHARED);
    assertEquals(SharedPages.roundedBytes(BYTES), Jbuf.use().bytesByOwner().get(name));
    assertTrue(Jbuf.use().usedBytes() >= used + SharedPages.roundedBytes(BYTES) - BYTES);
    Path descriptor = file(jbuf.asBytes());
    assertTrue(Files.readSymbolicLink(descriptor).toString().contains("tigris-shared"));
    free(jbuf);
    assertFalse(Jbuf.use().bytesByOwner().containsKey(name));
    assertFalse(
        Files.exists(descriptor)
            && Files.readSymbolicLink(descriptor).toString().contains("tigris-shared"));
  }

  @Test
  void isZeroAgainAfterItsAddressesWereShared() throws Exception {
    for (int round = 0; round < 3; round++) {
      Jbuf shared = Jbuf.allocate(3 << 20, "test", PageKind.SHARED);
      scribble(shared);
      free(shared);
      Jbuf plain = Jbuf.allocate(3 << 20, "test");
      scribble(plain);
      free(plain);
    }
    Budget.PROCESS.checkInvariants();
  }

  private static void scribble(Jbuf jbuf) {
    Longs longs = jbuf.asLongs();
    for (long i = 0; i < longs.length(); i += 512) {
      assertEquals(0, longs.get(i));
      longs.set(i, ~i);
    }
  }

  @Test
  void isRefusedWhereTheBudgetOrTheSystemHasNoRoom() {
    long tooMuch = Jbuf.use().budgetBytes() + 1;
    assertThrows(
        MemoryBudgetException.class, () -> Jbuf.allocate(tooMuch, "test", PageKind.SHARED));
    assertThrows(IllegalArgumentException.class, () -> Jbuf.allocate(0, "test", PageKind.SHARED));
  }

  @Test
  void hasNoDescriptorWhereItIsNotShared() {
    assertEquals(OptionalInt.empty(), Jbuf.allocate(BYTES).asBytes().sharedFile());
  }
}
