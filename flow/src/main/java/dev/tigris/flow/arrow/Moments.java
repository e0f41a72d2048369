package dev.tigris.flow.arrow;

import dev.tigris.memory.Bytes;
import java.time.DateTimeException;
import java.time.LocalDate;

/// Reads a date with a time as ISO 8601 has it: `2026-11-28T13:07:00.25+02:00`. A blank may stand
/// for the T, and seconds, their part and the zone may be missing.
///
/// Thread rule: one thread. What the fields say is of the last call.
final class Moments {
  private static final int DATE_BYTES = 10;
  private static final int MINUTE_BYTES = 16;
  private static final int MOST_DIGITS = 9;
  private static final int SECONDS_A_DAY = 86_400;
  private static final long NANOS = 1_000_000_000L;

  private Bytes bytes;
  private int at;
  private int end;
  private long seconds;
  private int nanos;
  private boolean hasZone;

  Moments(Bytes bytes) {
    this.bytes = bytes;
  }

  /// Reads one. Returns whether the bytes are one.
  boolean read(Bytes from, int start, int length) {
    bytes = from;
    at = start;
    end = start + length;
    nanos = 0;
    hasZone = false;
    if (length < MINUTE_BYTES
        || bytes.get(start + 4) != '-'
        || bytes.get(start + 7) != '-'
        || (bytes.get(start + DATE_BYTES) != 'T' && bytes.get(start + DATE_BYTES) != ' ')
        || bytes.get(start + 13) != ':') {
      return false;
    }
    int year = digits(start, 4);
    int month = digits(start + 5, 2);
    int day = digits(start + 8, 2);
    int hour = digits(start + 11, 2);
    int minute = digits(start + 14, 2);
    if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || hour > 23 || minute > 59) {
      return false;
    }
    try {
      seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_A_DAY;
    } catch (DateTimeException _) {
      return false;
    }
    seconds += hour * 3600L + minute * 60L;
    at = start + MINUTE_BYTES;
    return readSeconds() && readZone() && at == end;
  }

  private boolean readSeconds() {
    if (at == end || bytes.get(at) != ':') {
      return true;
    }
    int second = at + 3 <= end ? digits(at + 1, 2) : -1;
    if (second < 0 || second > 59) {
      return false;
    }
    seconds += second;
    at += 3;
    if (at == end || bytes.get(at) != '.') {
      return true;
    }
    at++;
    int digits = 0;
    for (; at < end && isDigit(bytes.get(at)); at++) {
      nanos = nanos * 10 + bytes.get(at) - '0';
      if (++digits > MOST_DIGITS) {
        return false;
      }
    }
    for (int i = digits; i < MOST_DIGITS; i++) {
      nanos *= 10;
    }
    return digits > 0;
  }

  private boolean readZone() {
    if (at == end) {
      return true;
    }
    hasZone = true;
    byte sign = bytes.get(at);
    if (sign == 'Z') {
      at++;
      return true;
    }
    if ((sign != '+' && sign != '-') || end - at != 6 || bytes.get(at + 3) != ':') {
      return false;
    }
    int hours = digits(at + 1, 2);
    int minutes = digits(at + 4, 2);
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) {
      return false;
    }
    long ahead = hours * 3600L + minutes * 60L;
    seconds += sign == '+' ? -ahead : ahead;
    at = end;
    return true;
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  private int digits(int from, int count) {
    int value = 0;
    for (int i = from; i < from + count; i++) {
      if (!isDigit(bytes.get(i))) {
        return -1;
      }
      value = value * 10 + bytes.get(i) - '0';
    }
    return value;
  }

  boolean hasZone() {
    return hasZone;
  }

  /// Whether it has a part of a microsecond.
  boolean isFine() {
    return nanos % 1000 != 0;
  }

  /// Returns whether it has room in 64 bits of nanoseconds: those of the years 1678 to 2261.
  boolean fitsNanos() {
    long most = Long.MAX_VALUE / NANOS - 1;
    return seconds >= -most && seconds <= most;
  }

  /// Returns microseconds since 1970-01-01T00:00.
  long micros() {
    return seconds * 1_000_000 + nanos / 1000;
  }

  /// Returns nanoseconds since then.
  long nanos() {
    return seconds * NANOS + nanos;
  }
}
