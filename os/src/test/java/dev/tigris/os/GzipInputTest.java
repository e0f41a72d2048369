package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Members of gzip's format, whole, cut and damaged.
class GzipInputTest {
  private static final int FLAGS = 3;
  private static final int HEADER_BYTES = 10;
  private static final int IGNORED = 4;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] member(String text) throws IOException {
    var member = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(member)) {
      gzip.write(bytes(text));
    }
    return member.toByteArray();
  }

  /// A member with all that a header may have.
  private static byte[] fullMember(String text) throws IOException {
    byte[] plain = member(text);
    var header = new ByteArrayOutputStream();
    byte[] fixed = Arrays.copyOf(plain, HEADER_BYTES);
    fixed[FLAGS] = 0b11110;
    header.writeBytes(fixed);
    header.writeBytes(bytes("\3\0abcname\0comment\0"));
    var checksum = new CRC32();
    checksum.update(header.toByteArray());
    header.write((int) checksum.getValue());
    header.write((int) (checksum.getValue() >>> Byte.SIZE));
    header.write(plain, HEADER_BYTES, plain.length - HEADER_BYTES);
    return header.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static String read(byte[] compressed, int bufferBytes) throws IOException {
    try (InputStream in = new GzipInput(new ByteArrayInputStream(compressed), bufferBytes)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64, 4096})
  void readsMembersThatFollowOneAnother(int bufferBytes) throws Exception {
    String text = "some lines\n".repeat(500);
    byte[] all = joined(member(text), member(""), fullMember("b\n"), member("c\n"));
    assertEquals(text + "b\nc\n", read(all, bufferBytes));
    assertEquals(text + "b\nc\n", read(Arrays.copyOf(all, all.length + 700), bufferBytes));
    assertEquals("", read(member(""), bufferBytes));
  }

  @Test
  void refusesWhatIsCutAtAnyByteButBetweenMembers() throws Exception {
    byte[] first = member("first\nlines\n");
    byte[] second = fullMember("second\n");
    byte[] all = joined(first, second, member("third\n"));
    for (int length = 0; length < all.length; length++) {
      byte[] cut = Arrays.copyOf(all, length);
      if (length == first.length || length == first.length + second.length) {
        assertTrue(read(cut, 64).startsWith("first\nlines\n"));
      } else {
        assertThrows(EOFException.class, () -> read(cut, 64), "at " + length);
      }
    }
  }

  /// All but the time and the system, which mean nothing for the data, and the flag that says that
  /// it is text.
  @Test
  void refusesEachBitThatIsNotAsItWas() throws Exception {
    byte[] first = member("first\nlines\n");
    byte[] second = member("second line, with a name\n");
    byte[] all = joined(first, second, fullMember("third\n"), member("last\n"));
    String text = read(all, 64);
    int harmless = 0;
    for (int bit = 0; bit < Byte.SIZE * all.length; bit++) {
      byte[] damaged = all.clone();
      damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      try {
        assertEquals(text, read(damaged, 64), "bit " + bit);
        harmless++;
      } catch (ZipException | EOFException e) {
        // It is refused.
      }
    }
    // Three headers without a checksum of their own, and some bits of the deflated data.
    int ignored = 3 * (Byte.SIZE * (HEADER_BYTES - IGNORED) + 1);
    assertTrue(harmless >= ignored && harmless < ignored + 64, harmless + " of " + ignored);
  }

  @Test
  void refusesWhatFollowsAMemberAndIsNone() throws Exception {
    for (String rest : List.of("x", "\u001f", "\u001f\u008b", "\0\0x", "\0\u001f\u008b")) {
      byte[] all = joined(member("a\n"), bytes(rest));
      assertThrows(IOException.class, () -> read(all, 64), rest);
    }
    byte[] unknown = member("a\n");
    unknown[2] = 7;
    assertThrows(ZipException.class, () -> read(unknown, 64));
    assertThrows(ZipException.class, () -> read(bytes("no gzip"), 64));
  }

  /// A disk that fails between two members is not their end.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void tellsThatTheSourceFails(int more) throws Exception {
    byte[] first = member("a\n");
    byte[] all = joined(first, member("b\n"));
    var failure = new IOException("Input/output error");
    InputStream source =
        new FilterInputStream(new ByteArrayInputStream(all, 0, first.length + more)) {
          @Override
          public int read(byte[] target, int offset, int count) throws IOException {
            int read = super.read(target, offset, count);
            if (read < 0) {
              throw failure;
            }
            return read;
          }
        };
    var read = new ByteArrayOutputStream();
    try (InputStream in = new GzipInput(source, 1)) {
      IOException thrown = assertThrows(IOException.class, () -> in.transferTo(read));
      assertSame(failure, thrown);
    }
    assertArrayEquals(bytes("a\n"), read.toByteArray());
  }

  @Test
  void readsNothingWhenItIsClosed() throws Exception {
    InputStream in = new GzipInput(new ByteArrayInputStream(member("ab")), 64);
    assertEquals('a', in.read());
    assertEquals(0, in.read(new byte[1], 0, 0));
    assertEquals('b', in.read());
    assertEquals(-1, in.read());
    in.close();
    in.close();
    assertThrows(IOException.class, () -> in.read(new byte[1], 0, 1));
  }
}
