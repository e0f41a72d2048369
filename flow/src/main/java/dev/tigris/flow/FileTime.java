package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// The time that a module's thread is with files: in reads and writes, and in waits for threads
/// that read and write for it. It is a part of its own of what [FlowSnapshot.Replica] tells.
///
/// ```java
/// try (FileTime _ = FileTime.begin()) {
///   channel.read(buffer, position);
/// }
/// ```
///
/// Streams from and to files measure theirs. A module or a kind of stream that uses files by itself
/// may do so as well, for what takes microseconds at least: the clock is read twice. A time within
/// another one, or within a wait for input or credit, counts once.
///
/// Thread rule: any thread. Only the time of a module's own thread is counted.
public final class FileTime implements AutoCloseable {
  private static final ScopedValue<FileTime> CURRENT = ScopedValue.newInstance();

  /// The time of a thread that is no module's.
  private static final FileTime UNCOUNTED = new FileTime(null);

  private final @Nullable Parker parker;

  private FileTime(@Nullable Parker parker) {
    this.parker = parker;
  }

  /// Begins, on the thread that closes what is returned.
  public static FileTime begin() {
    FileTime its = CURRENT.orElse(UNCOUNTED);
    Parker counts = its.parker;
    if (counts == null || !counts.isOfCaller()) { // such as a thread that a module has forked
      return UNCOUNTED;
    }
    counts.beginFiles();
    return its;
  }

  @Override
  public void close() {
    Parker counts = parker;
    if (counts != null) {
      counts.endFiles();
    }
  }

  /// Runs what a module's thread does.
  ///
  /// @param parker counts its time
  static void count(Parker parker, Runnable life) {
    ScopedValue.where(CURRENT, new FileTime(parker)).run(life);
  }
}
