package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileScanTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 100_000})
  void findsTheLargestValueThatAnotherProgramWrote(int samples) throws Exception {
    Random random = new Random(samples);
    ByteBuffer bytes =
        ByteBuffer.allocate(samples * FileScan.SAMPLE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int largest = Integer.MIN_VALUE;
    for (int i = 0; i < samples; i++) {
      int value = random.nextInt();
      bytes.putLong(Long.MAX_VALUE).putInt(Integer.MAX_VALUE).putInt(value);
      largest = Math.max(largest, value);
    }
    Path file = Files.write(folder.resolve("samples"), bytes.array());
    assertEquals(largest, FileScan.largestValue(file));
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 17})
  void refusesAPartOfASample(int length) throws Exception {
    Path file = Files.write(folder.resolve("part"), new byte[length]);
    assertThrows(IllegalArgumentException.class, () -> FileScan.largestValue(file));
  }
}
