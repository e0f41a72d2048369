package dev.tigris.os.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// An open file of another host.
///
/// Thread rule: one thread, except for the [Ending].
public interface RemoteFile extends AutoCloseable {
  /// Hears of the end of a transfer, once. Any thread calls it.
  interface Ending {
    /// A transfer has ended.
    ///
    /// @param result how many bytes were transferred, or the number of the error below zero
    /// @param bytes of a read, what was read; null for other operations and failures
    /// @param release gives that memory back; runs once
    void ended(int result, @Nullable MemorySegment bytes, Runnable release);
  }

  /// Begins a read, write or sync. The bytes of a write may be changed when this returns.
  ///
  /// @param progress of the one that reads: of two reads, that of the lower one is served first
  /// @return what asks to end it early; the ending is told all the same
  Runnable begin(
      DiskOperation.Kind kind, long position, MemorySegment part, double progress, Ending ending);

  /// Returns how many bytes it has.
  long size() throws IOException;

  /// Cuts or lengthens it.
  void resize(long bytes) throws IOException;

  /// Closes it.
  @Override
  void close();
}
