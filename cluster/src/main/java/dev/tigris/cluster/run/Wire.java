package dev.tigris.cluster.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Text and numbers in the messages of a run. Text is UTF-8 behind its length of 32 bits. All
/// integers of a fixed size are big-endian.
final class Wire {
  private static final int NUMBER_BITS = 7;
  private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;

  private Wire() {}

  static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static String readText(DataInputStream in) throws IOException {
    return new String(readBytes(in), StandardCharsets.UTF_8);
  }

  static void writeTexts(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      writeText(out, text);
    }
  }

  static List<String> readTexts(DataInputStream in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      texts.add(readText(in));
    }
    return texts;
  }

  /// Writes a number that is not negative, seven bits in each byte, the lowest first; all bytes but
  /// the last have the highest bit.
  static void writeNumber(DataOutputStream out, long number) throws IOException {
    long left = number;
    while ((left & -(1L << NUMBER_BITS)) != 0) {
      out.writeByte(((int) left & NUMBER_MASK) | (1 << NUMBER_BITS));
      left >>>= NUMBER_BITS;
    }
    out.writeByte((int) left);
  }

  static long readNumber(DataInputStream in) throws IOException {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE - 1; shift += NUMBER_BITS) {
      int next = in.readUnsignedByte();
      number |= (long) (next & NUMBER_MASK) << shift;
      if (next <= NUMBER_MASK) {
        return number;
      }
    }
    throw new IOException("a number of more than 63 bits");
  }

  static int readSmallNumber(DataInputStream in) throws IOException {
    long number = readNumber(in);
    if (number > Integer.MAX_VALUE) {
      throw new IOException("a number %d, where one of 31 bits is expected".formatted(number));
    }
    return (int) number;
  }

  /// Reads how many things of so many bytes at least follow: no more than are left.
  static int readCount(DataInputStream in, int leastBytes) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available() / leastBytes) {
      throw new IOException(
          "%d things of %d bytes, where %d bytes are left"
              .formatted(count, leastBytes, in.available()));
    }
    return count;
  }

  static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /// Reads an array that is no longer than what is left.
  static byte[] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("%d bytes, where %d are left".formatted(length, in.available()));
    }
    return in.readNBytes(length);
  }
}
