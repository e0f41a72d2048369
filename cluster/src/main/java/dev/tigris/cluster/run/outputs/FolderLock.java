package dev.tigris.cluster.run.outputs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The lock of a run's folder: its coordinator holds it as long as its process lives, and recovery
/// while it works.
///
/// Such a lock belongs to the process, and not to the channel that took it. To close any channel of
/// the locked file gives it back, even one that was opened only to look. So a process remembers
/// which folders it holds, and opens none of these again.
///
/// Thread rule: any thread.
public final class FolderLock implements AutoCloseable {
  /// The folders that this process holds: as many as it has runs and recoveries.
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final FileChannel channel;

  private FolderLock(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /// Locks a folder, unless this process or another one holds it; returns null then.
  ///
  /// @param file of the folder, which is there
  /// @throws IOException if the file cannot be opened or locked
  public static @Nullable FolderLock of(Path file) throws IOException {
    Path real = file.toRealPath();
    if (!HELD.add(real)) {
      return null;
    }
    FileChannel channel = null;
    FileLock lock = null;
    try {
      channel = FileChannel.open(real, StandardOpenOption.READ, StandardOpenOption.WRITE);
      lock = channel.tryLock();
      return lock == null ? null : new FolderLock(real, channel);
    } catch (OverlappingFileLockException e) {
      return null; // this process holds it, by another class loader
    } finally {
      if (lock == null) {
        if (channel != null) {
          channel.close();
        }
        HELD.remove(real);
      }
    }
  }

  /// Returns whether this process holds a folder: then it must not open the file.
  static boolean isHeld(Path file) throws IOException {
    return HELD.contains(file.toRealPath());
  }

  /// Returns the channel of the file.
  FileChannel channel() {
    return channel;
  }

  /// Gives the lock back.
  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(folder);
    }
  }
}
