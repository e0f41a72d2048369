package dev.tigris.memory.arrow;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes rows of CSV (RFC 4180). Nothing between two separators is a null, and two quotes are an
/// empty text.
///
/// Thread rule: one thread.
final class CsvOutput {
  private static final int BUFFER_BYTES = 64 << 10;
  private static final byte QUOTE = '"';

  private final OutputStream out;
  private final byte separator;
  private final Growing row = new Growing();
  private int fields;

  CsvOutput(OutputStream out, byte separator) {
    this.out = out;
    this.separator = separator;
  }

  void names(List<String> names) throws IOException {
    for (String name : names) {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      text(bytes, 0, bytes.length);
    }
    end();
  }

  private void separate() {
    if (fields++ > 0) {
      row.add(separator);
    }
  }

  void nothing() {
    separate();
  }

  void text(byte[] bytes, int from, int length) {
    separate();
    boolean isQuoted = length == 0;
    for (int i = from; i < from + length && !isQuoted; i++) {
      byte each = bytes[i];
      isQuoted = each == separator || each == QUOTE || each == '\n' || each == '\r';
    }
    if (!isQuoted) {
      row.add(bytes, from, length);
      return;
    }
    row.add(QUOTE);
    for (int i = from; i < from + length; i++) {
      if (bytes[i] == QUOTE) {
        row.add(QUOTE);
      }
      row.add(bytes[i]);
    }
    row.add(QUOTE);
  }

  void end() throws IOException {
    row.add((byte) '\n');
    fields = 0;
    if (row.length() >= BUFFER_BYTES) {
      write();
    }
  }

  private void write() throws IOException {
    out.write(row.bytes(), 0, row.length());
    row.clear();
  }

  void flush() throws IOException {
    write();
    out.flush();
  }
}
