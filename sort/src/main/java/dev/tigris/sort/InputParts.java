package dev.tigris.sort;

import java.io.Closeable;
import java.io.IOException;

/// What an input is read from, at any place.
///
/// Thread rule: any thread.
interface InputParts extends Closeable {
  /// Reads the bytes from `from` to `to` of the buffer, whose byte 0 belongs at `position`, a block
  /// boundary. Returns false if the input ends before them.
  boolean read(AlignedBuffer buffer, long from, long to, long position) throws IOException;

  /// Returns whether reads wait for a disk.
  boolean isDirect();
}
