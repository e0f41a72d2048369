package dev.tigris.sort;

import org.jspecify.annotations.Nullable;

/// The buffers that a sorter needs for buckets that were spilled, or that it cannot sort at once.
/// Each is made when it is first used, and then used for all buckets, since memory comes back only
/// when the collector runs.
///
/// Thread rule: its sorter's thread.
final class SpillBuffers implements AutoCloseable {
  private final RecordFormat format;
  private final SortPlan plan;
  private @Nullable AlignedBuffer load;
  private @Nullable AlignedBuffer scan;
  private @Nullable AlignedBuffer prefix;

  SpillBuffers(RecordFormat format, SortPlan plan) {
    this.format = format;
    this.plan = plan;
  }

  /// Returns where records are loaded to be sorted: has room for [SortPlan#loadRecords] of them.
  AlignedBuffer load() {
    AlignedBuffer made = made(load, plan.loadBytes(), "sort load");
    load = made;
    return made;
  }

  /// Returns where spilled records are read to be looked at: has room for [SortPlan#scanBytes].
  AlignedBuffer scan() {
    AlignedBuffer made = made(scan, plan.scanBytes(), "sort scan");
    scan = made;
    return made;
  }

  /// What keys that are looked for begin with: has room for a key.
  AlignedBuffer prefix() {
    AlignedBuffer made = made(prefix, format.keySize(), "sort scan");
    prefix = made;
    return made;
  }

  private static AlignedBuffer made(@Nullable AlignedBuffer known, long bytes, String name) {
    return known == null ? new AlignedBuffer(bytes, name) : known;
  }

  @Override
  public void close() {
    close(load);
    close(scan);
    close(prefix);
  }

  private static void close(@Nullable AlignedBuffer buffer) {
    if (buffer != null) {
      buffer.close();
    }
  }
}
