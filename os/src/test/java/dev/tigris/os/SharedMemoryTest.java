package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedMemoryTest {
  /// One page or several, however large they are.
  private static final long PAGE = 64 << 10;

  private static final long BYTES = 3 * PAGE;

  private static Path path(OpenFile file) {
    return Path.of("/proc/self/fd/" + file.number());
  }

  private static String pathForOthers(OpenFile file) {
    return "/proc/%d/fd/%d".formatted(ProcessHandle.current().pid(), file.number());
  }

  /// Hands a file over as to another process.
  private static OpenFile handOver(OpenFile file) throws SystemException {
    String name = "tigris-test/" + UUID.randomUUID();
    try (UnixSocket listening = UnixSocket.listen(name, 1);
        UnixSocket from = UnixSocket.connect(name);
        UnixSocket to = listening.accept()) {
      assertNotNull(to);
      from.send(ByteBuffer.allocate(1), file);
      UnixSocket.Packet packet = to.receive();
      assertNotNull(packet);
      assertNotNull(packet.file());
      return packet.file();
    }
  }

  @Test
  void isTheSameMemoryForWhoeverMapsIt() throws SystemException {
    try (Arena one = Arena.ofShared();
        Arena other = Arena.ofShared();
        SharedMemory made = SharedMemory.create("tigris-test", BYTES);
        SharedMemory adopted = SharedMemory.adopt(handOver(made.file()), size -> size == BYTES)) {
      MemorySegment here = made.map(one);
      MemorySegment there = adopted.map(other);
      assertEquals(-1, there.mismatch(MemorySegment.ofArray(new byte[(int) BYTES])));
      here.set(ValueLayout.JAVA_LONG, BYTES - 8, 42);
      assertEquals(42, there.get(ValueLayout.JAVA_LONG, BYTES - 8));
      assertThrows(IndexOutOfBoundsException.class, () -> there.get(ValueLayout.JAVA_BYTE, BYTES));
    }
  }

  @Test
  void cannotBeMadeShorterOrLonger() throws IOException {
    try (SharedMemory memory = SharedMemory.create("tigris-test", BYTES);
        FileChannel file = FileChannel.open(path(memory.file()), StandardOpenOption.WRITE)) {
      assertThrows(IOException.class, () -> file.truncate(BYTES - 1));
      assertThrows(IOException.class, () -> file.write(ByteBuffer.allocate(1), BYTES));
      assertEquals(BYTES, file.size());
    }
  }

  @Test
  void hasAllItsPagesFromTheBeginning() throws Exception {
    try (SharedMemory memory = SharedMemory.create("tigris-test", BYTES)) {
      String[] found =
          Command.of("stat", "-L", "-c", "%b %B", pathForOthers(memory.file()))
              .output()
              .strip()
              .split(" ", -1);
      assertEquals(BYTES, Long.parseLong(found[0]) * Long.parseLong(found[1]));
    }
  }

  @Test
  void losesNoPageWhenItIsKept() throws Exception {
    try (Arena arena = Arena.ofShared();
        SharedMemory made = SharedMemory.create("tigris-test", BYTES);
        SharedMemory adopted = SharedMemory.adopt(handOver(made.file()), size -> size == BYTES)) {
      MemorySegment here = made.map(arena);
      MemorySegment there = adopted.map(arena);
      assertTrue(punch(adopted.file()));
      adopted.keep();
      made.keep();
      here.fill((byte) 1);
      assertFalse(punch(adopted.file()));
      assertFalse(punch(made.file()));
      assertEquals(1, there.get(ValueLayout.JAVA_BYTE, PAGE));
      assertThrows(SystemException.class, () -> adopted.map(arena));
    }
  }

  /// Takes the second page out of a file; returns whether that is allowed.
  private static boolean punch(OpenFile file) throws Exception {
    String page = String.valueOf(PAGE);
    return Command.of("fallocate", "-p", "-o", page, "-l", page, pathForOthers(file)).succeeds();
  }

  @Test
  void staysMappedUntilTheArenaClosesAndLeavesNothing() throws IOException {
    String name = "tigris-test-" + UUID.randomUUID();
    Arena arena = Arena.ofShared();
    MemorySegment mapped;
    try (SharedMemory memory = SharedMemory.create(name, BYTES)) {
      mapped = memory.map(arena);
    }
    mapped.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    assertTrue(isMapped(name));
    arena.close();
    assertFalse(isMapped(name));
    assertThrows(IllegalStateException.class, () -> mapped.get(ValueLayout.JAVA_BYTE, 0));
  }

  private static boolean isMapped(String name) throws IOException {
    return Files.readString(Path.of("/proc/self/maps")).contains(name);
  }

  // ---- what others hand over

  private static void refuses(OpenFile file, String... why) {
    SystemException refusal =
        assertThrows(SystemException.class, () -> SharedMemory.adopt(file, size -> size == BYTES));
    for (String part : why) {
      assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }
    assertFalse(Files.exists(path(file)), "it was not closed");
  }

  /// Makes a file in memory with these seals only.
  private static OpenFile sealed(long bytes, int seals) throws SystemException {
    OpenFile file = new OpenFile(MemoryFile.create("tigris-test", bytes));
    MemoryFile.seal(file.number(), seals);
    return file;
  }

  @Test
  void refusesMemoryThatCouldStillBeMadeShorter() throws SystemException {
    refuses(sealed(BYTES, 0), "seals 0x0");
    refuses(sealed(BYTES, 4), "seals 0x4");
    refuses(sealed(BYTES, 2), "seals 0x2");
  }

  @Test
  void refusesMemoryThatCouldNotBeKept() throws SystemException {
    refuses(sealed(BYTES, 7), "seals 0x7");
  }

  @Test
  void refusesMemoryOfAnotherSize() throws SystemException {
    refuses(sealed(BYTES - 1, 6), "has %d bytes".formatted(BYTES - 1));
    refuses(sealed(BYTES + PAGE, 6), "has %d bytes".formatted(BYTES + PAGE));
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 16}) // of writing, and of writing through what is mapped from now on
  void refusesMemoryThatCannotBeMappedForWriting(int seal) throws SystemException {
    refuses(sealed(BYTES, 6 | seal), "seals %#x".formatted(6 | seal));
  }

  @Test
  void refusesFilesThatAreNoMemory() throws SystemException {
    refuses(handOver(new Signal().file()), "read the seals");
  }

  // ---- limits

  @Test
  void saysWhenALimitForbidsIt() throws Exception {
    Command trial = Jvm.of(Trial.class).quick().command();
    String limit = "ulimit -f 64"; // blocks of 512 bytes or 1,024
    assertEquals("could not reserve 131072 bytes: File too large\n", trial.after(limit).output());
  }

  /// The process that has a limit.
  static final class Trial {
    private Trial() {}

    public static void main(String[] arguments) {
      try (SharedMemory memory = SharedMemory.create("tigris-test", 1 << 17)) {
        System.out.println("there is no limit at " + memory.file().number());
      } catch (SystemException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
