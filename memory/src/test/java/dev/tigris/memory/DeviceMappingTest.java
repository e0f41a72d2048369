package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.DiskCalls;
import dev.tigris.os.OpenFile;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DeviceMappingTest {
  private static final int PAGE = 65_536; // of any kernel
  private static final int ROUNDS = 20_000;

  /// As `struct slot` of the program below.
  static final class Slot extends Pso {
    long value;
    long total;
    volatile long turn;

    Slot(Container container) {
      super(container);
    }
  }

  private static final String PROGRAM =
      """
      #include <fcntl.h>
      #include <sched.h>
      #include <stdatomic.h>
      #include <stdint.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      struct slot { int64_t value; int64_t total; _Atomic int64_t turn; };
      int main(int argc, char **argv) {
        int fd = open(argv[1], O_RDWR);
        struct slot *slot = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 65536);
        if (argc != 3 || slot == MAP_FAILED) return 1;
        for (int64_t i = 1; i <= atoll(argv[2]); i++) {
          while (atomic_load_explicit(&slot->turn, memory_order_acquire) != 1) sched_yield();
          if (slot->value != i * i) return 2;
          slot->total += slot->value;
          atomic_store_explicit(&slot->turn, 0, memory_order_release);
        }
        return 0;
      }
      """;

  @TempDir Path folder;

  private Path file(String name, int bytes) throws IOException {
    return Files.write(folder.resolve(name), new byte[bytes]);
  }

  /// Each side stores plain fields, and announces them by the volatile one.
  @Test
  @SuppressWarnings("ThreadPriorityCheck") // the other side may have no processor of its own
  void aProgramInCSharesPlainFields() throws Exception {
    Needs.program("gcc", "gcc");
    Files.writeString(folder.resolve("slot.c"), PROGRAM);
    Command compile =
        Command.of("gcc", "-std=c11", "-O2", "-Wall", "-Werror", "-o", "slot", "slot.c");
    assertEquals("", compile.in(folder).output());
    Path segment = file("segment", 2 * PAGE);
    try (Jbuf shared = Jbuf.mapDevice(segment, PAGE, PAGE);
        Child program =
            Command.of(folder.resolve("slot").toString(), segment.toString(), "" + ROUNDS)
                .start()) {
      Slot slot = shared.asRawContainer().at(0, Slot.class);
      long total = 0;
      for (long i = 1; i <= ROUNDS; i++) {
        slot.value = i * i;
        slot.turn = 1;
        total += i * i;
        while (slot.turn != 0) {
          assertTrue(program.isAlive() || slot.turn == 0, "the program has ended");
          Thread.yield();
        }
        assertEquals(total, slot.total);
      }
    }
  }

  @Test
  void objectsLieOnABlockDeviceThatNoFileSystemUses() throws Exception {
    Needs.root("a loop device");
    Path image = file("image", 4 * PAGE);
    Command attach = Command.of("losetup", "--find", image.toString());
    Assumptions.assumeTrue(attach.succeeds(), "there is no loop device");
    Path device = Path.of(Command.of("losetup", "-j", image.toString()).output().split(":", 2)[0]);
    try {
      try (Jbuf disk = Jbuf.mapDevice(device, PAGE, 2 * PAGE)) {
        PsoCursor<Slot> slots = disk.asRawContainer().cursor(0, 100, Slot.class);
        for (long i = 0; slots.next(); i++) {
          slots.element().value = i;
        }
        disk.flush();
        ByteBuffer below =
            ByteBuffer.wrap(Files.readAllBytes(image)).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 100; i++) {
          assertEquals(i, below.getLong(PAGE + i * 24));
        }
      }
      IOException end =
          assertThrows(IOException.class, () -> Jbuf.mapDevice(device, PAGE, 4 * PAGE));
      assertTrue(end.getMessage().contains("262144 bytes, and not 262144 from 65536 on"));
      try (OpenFile _ = new OpenFile(DiskCalls.open(device, true, false, false, true))) {
        IOException used = assertThrows(IOException.class, () -> Jbuf.mapDevice(device, 0, PAGE));
        assertTrue(used.getMessage().contains(device.toString()), used.getMessage());
      }
    } finally {
      Command.of("losetup", "-d", device.toString()).output();
    }
  }

  @Test
  void aCharacterDeviceSaysItselfWhetherItCanBeMapped() throws Exception {
    try (Jbuf zeros = Jbuf.mapDevice(Path.of("/dev/zero"), 0, PAGE)) {
      Bytes bytes = zeros.asBytes();
      assertEquals(0, bytes.getLong(8));
      bytes.setLong(8, 7);
      assertEquals(7, bytes.getLong(8));
      zeros.flush();
    }
    IOException refusal =
        assertThrows(IOException.class, () -> Jbuf.mapDevice(Path.of("/dev/null"), 0, PAGE));
    assertTrue(refusal.getMessage().contains("/dev/null"), refusal.getMessage());
  }

  @Test
  void refusesMisuseAndLeavesTheFileAsItIs() throws Exception {
    Path file = file("file", 2 * PAGE);
    assertThrows(IllegalArgumentException.class, () -> Jbuf.mapDevice(file, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> Jbuf.mapDevice(file, -PAGE, 1));
    assertThrows(IllegalArgumentException.class, () -> Jbuf.mapDevice(file, 0, 0));
    assertThrows(IOException.class, () -> Jbuf.mapDevice(file, 0, 2 * PAGE + 1));
    assertThrows(IOException.class, () -> Jbuf.mapDevice(file, 2 * PAGE, 1));
    assertThrows(IOException.class, () -> Jbuf.mapDevice(folder, 0, 1));
    Path missing = folder.resolve("missing");
    assertThrows(IOException.class, () -> Jbuf.mapDevice(missing, 0, 1));
    assertFalse(Files.exists(missing));
    Bytes kept;
    try (Jbuf part = Jbuf.mapDevice(file, PAGE, 100)) {
      kept = part.asBytes();
      kept.setInt(0, 9);
    }
    assertEquals(2 * PAGE, Files.size(file));
    assertEquals(9, Files.readAllBytes(file)[PAGE]);
    kept.setInt(0, 10); // it was taken off the file
    assertEquals(9, Files.readAllBytes(file)[PAGE]);
  }
}
