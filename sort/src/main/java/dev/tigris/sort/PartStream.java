package dev.tigris.sort;

import java.io.OutputStream;

/// Text of a sorter that goes into its part of the output.
///
/// Thread rule: as for the part.
final class PartStream extends OutputStream {
  private final StreamPart part;

  PartStream(StreamPart part) {
    this.part = part;
  }

  @Override
  public void write(int b) throws SortException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws SortException {
    part.append(bytes, from, length);
  }

  /// Writes what is left, and nothing may follow.
  void finish() throws SortException {
    part.finish();
  }
}
