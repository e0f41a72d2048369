package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.mirror.Mirror;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MirroredInputTest {
  private static final long RECORDS = 20_000;
  private static final int BLOCK = 64 << 10;

  @TempDir Path folder;
  private final List<Path> disks = new ArrayList<>();
  private Path data;
  private Path mirror;

  @BeforeEach
  void mirror() throws Exception {
    for (int disk = 0; disk < 4; disk++) {
      disks.add(Files.createDirectory(folder.resolve("disk" + disk)));
    }
    data = folder.resolve("data");
    GenerateJob.to(data, RECORDS).run();
    Mirror.copying(data, "data", disks, BLOCK, 2, warning -> {}).start().await();
    mirror = disks.getFirst().resolve("data.mirror");
  }

  @Test
  void isSortedByNameThoughADiskIsDamaged() throws Exception {
    try (var files = Files.list(disks.get(1))) {
      for (Path file : files.filter(each -> !each.toString().endsWith(".mirror")).toList()) {
        damage(file);
      }
    }
    Path sorted = folder.resolve("sorted");
    Path other = folder.resolve("other");
    assertEquals(RECORDS, SortJob.of(List.of(mirror), sorted).run().records());
    assertEquals(RECORDS, SortJob.of(List.of(data), other).run().records());
    assertArrayEquals(Files.readAllBytes(other), Files.readAllBytes(sorted));
    String counted = CheckJob.of(List.of(mirror)).run().summary().records().toString();
    assertEquals(String.valueOf(RECORDS), counted);
  }

  private static void damage(Path file) throws IOException {
    try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      for (long at = 0; at < channel.size(); at += BLOCK) {
        channel.position(at).write(ByteBuffer.allocate(100));
      }
    }
  }

  @Test
  void isRefusedWhereItIsNoWholeNumberOfRecords() throws Exception {
    Files.write(data, new byte[BLOCK + 7]);
    Mirror.copying(data, "odd", disks, BLOCK, 2, warning -> {}).start().await();
    Path odd = disks.getFirst().resolve("odd.mirror");
    SortException refused =
        assertThrows(
            SortException.class, () -> SortJob.of(List.of(odd), folder.resolve("sorted")).run());
    assertTrue(String.valueOf(refused.getMessage()).contains("whole number of records"));
  }

  @Test
  void saysThatADiskIsMissingAltogether() throws Exception {
    for (int disk : new int[] {2, 3}) {
      try (var files = Files.list(disks.get(disk))) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
    SortException refused =
        assertThrows(
            SortException.class, () -> SortJob.of(List.of(mirror), folder.resolve("sorted")).run());
    assertTrue(String.valueOf(refused.getMessage()).contains("segment 2"), refused.getMessage());
  }
}
