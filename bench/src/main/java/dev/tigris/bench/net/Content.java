package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The content of messages whose bytes are all written by their sender and all read by their
/// receiver. It lies in an array of the sender's, as a program's data do, and has the number of the
/// message in its first and last four bytes.
final class Content {
  static final int LARGEST_BYTES = 1 << 20;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /// Of one sign changes from one to the next, so that each counts in a sum.
  private static final int STEP = 0x9e37_79b9;

  private final int[] ints = new int[LARGEST_BYTES / Integer.BYTES];
  private final byte[] bytes = new byte[LARGEST_BYTES];

  /// The length that was checked last, and the sum of what lies between the two numbers.
  private int knownBytes;

  private int knownSum;

  Content() {
    for (int i = 0; i < ints.length; i++) {
      ints[i] = STEP * (i + 1);
    }
    MemorySegment.copy(ints, 0, MemorySegment.ofArray(bytes), INT, 0, ints.length);
  }

  /// The content as integers, without a number.
  int[] ints() {
    return ints;
  }

  /// The content as bytes, without a number.
  byte[] bytes() {
    return bytes;
  }

  /// Reads all of a message, whose length is a multiple of 4.
  ///
  /// @return its number
  /// @throws WrongResultException if it is another message
  int check(MemorySegment from, long at, int length) {
    int number = from.get(INT, at);
    int sum = sum(from, at, length) - number;
    if (length > Integer.BYTES) {
      sum -= from.get(INT, at + length - Integer.BYTES);
    }
    if (sum != sumBetween(length) || from.get(INT, at + length - Integer.BYTES) != number) {
      throw new WrongResultException("a message has arrived damaged");
    }
    return number;
  }

  /// Reads all of a water, as above.
  int check(Bytes from, int length) {
    int number = from.getInt(0);
    int last = from.getInt(length - Integer.BYTES);
    int sum = 0;
    for (int i = Integer.BYTES; i < length - Integer.BYTES; i += Integer.BYTES) {
      sum += from.getInt(i);
    }
    if (sum != sumBetween(length) || last != number) {
      throw new WrongResultException("a water has arrived damaged");
    }
    return number;
  }

  private int sumBetween(int length) {
    if (length != knownBytes) {
      int sum = 0;
      for (int i = 1; i < length / Integer.BYTES - 1; i++) {
        sum += ints[i];
      }
      knownSum = sum;
      knownBytes = length;
    }
    return knownSum;
  }

  /// Adds all integers up.
  static int sum(MemorySegment from, long at, int length) {
    int sum = 0;
    for (int i = 0; i < length; i += Integer.BYTES) {
      sum += from.get(INT, at + i);
    }
    return sum;
  }
}
