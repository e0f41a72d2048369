package dev.tigris.memory;

/// A cursor over more elements than a [PsoCursor] counts. As long as no program has one, C2 knows
/// that each cursor is of the quick kind.
final class LargeCursor<T extends Pso> extends PsoCursor<T> {
  private final long start;
  private final long strideBytes;
  private final long size;

  /// As there: a step writes what it has compared with the end.
  private long index = -1;

  LargeCursor(Region region, Class<T> type, long start, int strideBytes, long size) {
    super(region, type, start, strideBytes, 0);
    this.start = start;
    this.strideBytes = strideBytes;
    this.size = size;
  }

  @Override
  public boolean next() {
    long next = index + 1;
    if (next >= size) {
      return false;
    }
    index = next;
    visit(start + next * strideBytes);
    return true;
  }

  @Override
  public long index() {
    return index;
  }
}
