package dev.tigris.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// How keys of each kind compare, and the prefixes that stand for them.
final class KeyKinds {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final String MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
  private static final int MONTH_LETTERS = 3;

  private KeyKinds() {}

  /// Compares two keys that are not plain text.
  static int compare(
      LineKey key, byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    boolean translated = key.filter() != LineKey.Filter.NONE || key.folded();
    if (key.kind() == LineKey.Kind.TEXT) {
      return compareTranslated(key, left, leftStart, leftEnd, right, start, end);
    }
    if (translated) {
      byte[] one = translated(key, left, leftStart, leftEnd);
      byte[] other = translated(key, right, start, end);
      return compareKind(key.kind(), one, 0, one.length, other, 0, other.length);
    }
    return compareKind(key.kind(), left, leftStart, leftEnd, right, start, end);
  }

  private static int compareKind(
      LineKey.Kind kind,
      byte[] left,
      int leftStart,
      int leftEnd,
      byte[] right,
      int start,
      int end) {
    return switch (kind) {
      case NUMERIC -> DecimalOrder.compare(left, leftStart, leftEnd, right, start, end);
      case HUMAN -> DecimalOrder.compareHuman(left, leftStart, leftEnd, right, start, end);
      case GENERAL -> {
        var one = new ExtendedFloat();
        var other = new ExtendedFloat();
        one.read(left, leftStart, leftEnd);
        other.read(right, start, end);
        yield one.compareTo(other);
      }
      case MONTH -> month(left, leftStart, leftEnd) - month(right, start, end);
      case VERSION -> VersionOrder.compare(left, leftStart, leftEnd, right, start, end);
      case TEXT -> throw new IllegalArgumentException("text is compared as bytes");
    };
  }

  /// The prefix of a key that is not plain text.
  static long prefix(LineKey key, byte[] text, int start, int end) {
    boolean translated = key.filter() != LineKey.Filter.NONE || key.folded();
    if (key.kind() == LineKey.Kind.TEXT) {
      return translatedPrefix(key, text, start, end);
    }
    if (key.kind() == LineKey.Kind.VERSION) {
      return 0;
    }
    if (translated) {
      byte[] copy = translated(key, text, start, end);
      return kindPrefix(key.kind(), copy, 0, copy.length);
    }
    return kindPrefix(key.kind(), text, start, end);
  }

  private static long kindPrefix(LineKey.Kind kind, byte[] text, int start, int end) {
    return switch (kind) {
      case NUMERIC -> DecimalOrder.prefix(text, start, end);
      case HUMAN -> DecimalOrder.humanPrefix(text, start, end);
      case GENERAL -> {
        var number = new ExtendedFloat();
        number.read(text, start, end);
        yield number.prefix();
      }
      case MONTH -> month(text, start, end);
      case VERSION, TEXT -> throw new IllegalArgumentException("no number stands for it");
    };
  }

  /// Up to eight bytes, the first one in the top bits, with zeros behind the end.
  static long leading(byte[] text, long start, int end) {
    if (start + Long.BYTES <= end) {
      return (long) LONG.get(text, (int) start);
    }
    if (start >= end) {
      return 0;
    }
    if (start + Long.BYTES <= text.length) { // what lies behind the end is cut off
      long unused = start + Long.BYTES - end;
      return (long) LONG.get(text, (int) start) & -1L << (Byte.SIZE * unused);
    }
    long prefix = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      long b = start + i < end ? Byte.toUnsignedLong(text[(int) start + i]) : 0;
      prefix = (prefix << Byte.SIZE) | b;
    }
    return prefix;
  }

  private static long translatedPrefix(LineKey key, byte[] text, int start, int end) {
    long prefix = 0;
    int taken = 0;
    for (int at = start; at < end && taken < Long.BYTES; at++) {
      if (Blanks.counts(text[at], key.filter())) {
        byte b = key.folded() ? Blanks.upper(text[at]) : text[at];
        prefix = (prefix << Byte.SIZE) | (b & 0xff);
        taken++;
      }
    }
    return taken == 0 ? 0 : prefix << (Byte.SIZE * (Long.BYTES - taken));
  }

  private static int compareTranslated(
      LineKey key, byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = next(key, left, leftStart, leftEnd);
    int r = next(key, right, start, end);
    while (l < leftEnd && r < end) {
      int one = (key.folded() ? Blanks.upper(left[l]) : left[l]) & 0xff;
      int other = (key.folded() ? Blanks.upper(right[r]) : right[r]) & 0xff;
      if (one != other) {
        return one - other;
      }
      l = next(key, left, l + 1, leftEnd);
      r = next(key, right, r + 1, end);
    }
    return (l < leftEnd ? 1 : 0) - (r < end ? 1 : 0);
  }

  private static int next(LineKey key, byte[] text, int start, int end) {
    int at = start;
    while (at < end && !Blanks.counts(text[at], key.filter())) {
      at++;
    }
    return at;
  }

  private static byte[] translated(LineKey key, byte[] text, int start, int end) {
    byte[] copy = new byte[end - start];
    int length = 0;
    for (int at = start; at < end; at++) {
      if (Blanks.counts(text[at], key.filter())) {
        copy[length++] = key.folded() ? Blanks.upper(text[at]) : text[at];
      }
    }
    return Arrays.copyOf(copy, length);
  }

  /// The number of the month that a text begins with, behind blanks, from 1 on; 0 if it is none.
  private static int month(byte[] text, int start, int end) {
    int at = start;
    while (at < end && Blanks.isBlank(text[at])) {
      at++;
    }
    if (end - at < MONTH_LETTERS) {
      return 0;
    }
    for (int month = 0; month < MONTHS.length() / MONTH_LETTERS; month++) {
      int same = 0;
      while (same < MONTH_LETTERS
          && Blanks.upper(text[at + same]) == MONTHS.charAt(MONTH_LETTERS * month + same)) {
        same++;
      }
      if (same == MONTH_LETTERS) {
        return month + 1;
      }
    }
    return 0;
  }
}
