package dev.tigris.sort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Makes records of many kinds, and sorts them in the simplest way there is.
final class Records {
  /// How the keys are distributed.
  enum Keys {
    RANDOM,
    EQUAL,
    ZEROS,
    ONES,
    FEW,
    TEXT,
    ORDERED,
    REVERSED,
    LONG_COMMON_PREFIX,
    MOSTLY_EQUAL,
    POWERS
  }

  private Records() {}

  static byte[] make(RecordFormat format, int count, Keys keys, long seed) {
    Random random = new Random(seed);
    byte[] bytes = new byte[format.recordSize() * count];
    random.nextBytes(bytes);
    for (int i = 0; i < count; i++) {
      int from = i * format.recordSize() + format.keyOffset();
      fillKey(bytes, from, format.keySize(), i, count, keys, random);
    }
    return bytes;
  }

  private static void fillKey(
      byte[] bytes, int from, int size, int index, int count, Keys keys, Random random) {
    int to = from + size;
    switch (keys) {
      case RANDOM -> {}
      case EQUAL -> Arrays.fill(bytes, from, to, (byte) 'k');
      case ZEROS -> Arrays.fill(bytes, from, to, (byte) 0);
      case ONES -> Arrays.fill(bytes, from, to, (byte) 0xff);
      case FEW -> Arrays.fill(bytes, from, to, (byte) random.nextInt(3));
      case TEXT -> {
        for (int at = from; at < to; at++) {
          bytes[at] = (byte) ('0' + random.nextInt(10));
        }
      }
      case ORDERED -> putNumber(bytes, from, to, index);
      case REVERSED -> putNumber(bytes, from, to, count - index);
      case LONG_COMMON_PREFIX -> {
        Arrays.fill(bytes, from, to, (byte) 'p');
        bytes[to - 1] = (byte) random.nextInt();
        bytes[to - Math.min(size, 2)] = (byte) random.nextInt();
      }
      case MOSTLY_EQUAL -> {
        if (random.nextInt(20) > 0) {
          Arrays.fill(bytes, from, to, (byte) 0x80);
        }
      }
      case POWERS -> {
        Arrays.fill(bytes, from, to, (byte) 0);
        int bit = (int) Math.min(8.0 * size - 1, Math.abs(random.nextGaussian()) * 4 * size);
        bytes[from + bit / 8] = (byte) (0x80 >>> (bit % 8));
      }
    }
  }

  private static void putNumber(byte[] bytes, int from, int to, long number) {
    long rest = number;
    for (int at = to - 1; at >= from; at--) {
      bytes[at] = (byte) rest;
      rest >>>= 8;
    }
  }

  /// The records in order of key, and of the other bytes where keys are equal.
  static byte[] sorted(byte[] bytes, RecordFormat format) {
    return canonical(bytes, format);
  }

  /// Puts records with equal keys into an order of their own, and so makes outputs comparable: the
  /// order of keys must already be right.
  static byte[] withEqualKeysInOrder(byte[] sorted, RecordFormat format) {
    int size = format.recordSize();
    for (int at = size; at < sorted.length; at += size) {
      int before = at - size + format.keyOffset();
      int here = at + format.keyOffset();
      int compared =
          Arrays.compareUnsigned(
              sorted, before, before + format.keySize(), sorted, here, here + format.keySize());
      if (compared > 0) {
        throw new AssertionError("record " + at / size + " is smaller than the one before it");
      }
    }
    return canonical(sorted, format);
  }

  private static byte[] canonical(byte[] bytes, RecordFormat format) {
    int size = format.recordSize();
    int from = format.keyOffset();
    int to = from + format.keySize();
    List<byte[]> records = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += size) {
      records.add(Arrays.copyOfRange(bytes, at, at + size));
    }
    records.sort(
        (left, right) -> {
          int compared = Arrays.compareUnsigned(left, from, to, right, from, to);
          return compared != 0 ? compared : Arrays.compareUnsigned(left, right);
        });
    byte[] result = new byte[bytes.length];
    for (int i = 0; i < records.size(); i++) {
      System.arraycopy(records.get(i), 0, result, i * size, size);
    }
    return result;
  }

  static void deleteTree(Path folder) throws IOException {
    if (Files.isDirectory(folder) && !Files.isSymbolicLink(folder)) {
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          deleteTree(file);
        }
      }
    }
    Files.deleteIfExists(folder);
  }
}
