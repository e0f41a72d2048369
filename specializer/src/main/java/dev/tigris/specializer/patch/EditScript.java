package dev.tigris.specializer.patch;

import java.io.ByteArrayOutputStream;

/// How to get from one sequence of bytes to another: a list of steps, each of which copies some
/// bytes, then skips some, then inserts some.
///
/// ```text
///   step     copied     skipped    inserted
///            varint     varint     varint      the inserted bytes
/// ```
///
/// A varint has seven bits a byte, the low ones first; the top bit says that more follow. A script
/// only moves forward, so what it makes is no longer than the original and the script together.
final class EditScript implements CommonSubsequence.Steps {
  /// Copying fewer bytes between two changes costs more than inserting them.
  private static final int MIN_COPIED = 4;

  private final byte[] from;
  private final byte[] to;
  private final ByteArrayOutputStream script = new ByteArrayOutputStream();
  private final ByteArrayOutputStream inserted = new ByteArrayOutputStream();
  private int at;
  private int copied;
  private int skipped;
  private boolean first = true;

  /// An empty script that starts at a place in `from`.
  EditScript(byte[] from, int start, byte[] to) {
    this.from = from;
    this.to = to;
    this.at = start;
  }

  @Override
  public void copy(int count) {
    if (count > 0) {
      boolean changed = skipped > 0 || inserted.size() > 0;
      if (changed && count < MIN_COPIED) {
        inserted.write(from, at, count);
        skipped += count;
      } else {
        if (changed) {
          flush();
        }
        copied += count;
      }
      at += count;
    }
  }

  @Override
  public void skip(int count) {
    skipped += count;
    at += count;
  }

  @Override
  public void insert(int start, int end) {
    inserted.write(to, start, end - start);
  }

  /// The script so far; nothing can be added to it.
  byte[] toBytes() {
    if (first || copied + skipped + inserted.size() > 0) {
      flush();
    }
    return script.toByteArray();
  }

  private void flush() {
    varint(script, copied);
    varint(script, skipped);
    varint(script, inserted.size());
    script.writeBytes(inserted.toByteArray());
    copied = 0;
    skipped = 0;
    inserted.reset();
    first = false;
  }

  static void varint(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }
}
