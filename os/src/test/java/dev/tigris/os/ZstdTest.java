package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ZstdTest {
  @BeforeEach
  void needsTheLibrary() {
    assumeTrue(Zstd.isAvailable(), "this system has no libzstd.so.1");
  }

  private static byte[] read(byte[] compressed) throws IOException {
    try (InputStream in = Zstd.decompressed(new ByteArrayInputStream(compressed))) {
      return in.readAllBytes();
    }
  }

  private static byte[] text(int length) {
    byte[] text = new byte[length];
    var random = new Random(length);
    for (int i = 0; i < length; i++) {
      text[i] = (byte) ('a' + random.nextInt(3));
    }
    return text;
  }

  @Test
  void readsWhatItWrites() throws Exception {
    var all = new ByteArrayOutputStream();
    var frames = new ByteArrayOutputStream();
    for (int length : new int[] {0, 1, 100, 1 << 17, (1 << 17) + 1, 1_000_003}) {
      byte[] text = text(length);
      byte[] frame = Zstd.compress(text, length, 3);
      assertArrayEquals(text, read(frame));
      all.write(text);
      frames.write(frame);
    }
    assertArrayEquals(all.toByteArray(), read(frames.toByteArray()));
  }

  @Test
  void tellsThatDataIsCut() throws Exception {
    byte[] frame = Zstd.compress(text(5_000), 5_000, 3);
    for (int length = 0; length < frame.length; length += 1 + frame.length / 50) {
      byte[] cut = Arrays.copyOf(frame, length);
      assertThrows(EOFException.class, () -> read(cut), "at " + length);
    }
  }

  @Test
  void tellsThatDataIsDamaged() throws Exception {
    byte[] other = "this is no frame of Zstandard".getBytes(StandardCharsets.UTF_8);
    IOException refused = assertThrows(Zstd.DataException.class, () -> read(other));
    assertTrue(String.valueOf(refused.getMessage()).contains("format of Zstandard"));
    byte[] frame = Zstd.compress(text(2_000), 2_000, 3);
    var random = new Random(5);
    int refusals = 0;
    for (int i = 0; i < 300; i++) {
      byte[] damaged = frame.clone();
      damaged[random.nextInt(frame.length)] ^= (byte) (1 + random.nextInt(255));
      try {
        byte[] _ = read(damaged); // what has no checksum may decompress to other text
      } catch (Zstd.DataException | EOFException e) {
        refusals++;
      }
    }
    assertTrue(refusals > 0);
  }

  /// A frame may ask for a window of gigabytes in a few bytes.
  @Test
  void refusesAWindowThatIsTooLarge() {
    byte[] frame = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0, (byte) (21 << 3), 1, 0, 0};
    IOException refused = assertThrows(Zstd.DataException.class, () -> read(frame));
    assertTrue(String.valueOf(refused.getMessage()).contains("128 MiB"), String.valueOf(refused));
  }

  @Test
  void readsByteByByteAndNotWhenClosed() throws Exception {
    InputStream in =
        Zstd.decompressed(new ByteArrayInputStream(Zstd.compress(new byte[] {7, 8}, 2, 1)));
    assertEquals(7, in.read());
    assertEquals(0, in.read(new byte[4], 0, 0));
    assertEquals(8, in.read());
    assertEquals(-1, in.read());
    in.close();
    in.close();
    assertThrows(IOException.class, () -> in.read(new byte[1]));
  }
}
