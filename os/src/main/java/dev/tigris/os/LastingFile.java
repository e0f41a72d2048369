package dev.tigris.os;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A file that several threads read or write at positions, and that stays open when one of them is
/// interrupted. The interrupt closes the [FileChannel] that the thread uses, for all threads. Each
/// of them then opens the file again and repeats what it was about to do. An interrupt stays
/// pending.
///
/// A failed [#force] is not tried again, and nothing is written after it: the kernel takes the
/// pages for written then, and a second call would find nothing wrong.
///
/// Thread rule: any thread.
public final class LastingFile implements Closeable {
  private final Path path;
  private final OpenOption option;

  /// What the file system calls the file, whatever its path names later; null if it has no word.
  private final @Nullable Object key;

  private volatile FileChannel channel;
  private volatile boolean closed;
  private volatile @Nullable IOException failedForce;

  /// Takes over a channel.
  ///
  /// @param path the path that it was opened by
  /// @param option how to open the file again: for reading or for writing
  public LastingFile(Path path, FileChannel channel, OpenOption option) throws IOException {
    this.path = path;
    this.option = option;
    this.channel = channel;
    this.key = key();
  }

  private @Nullable Object key() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  /// Reads as [FileChannel#read(ByteBuffer, long)] does.
  public int read(ByteBuffer to, long position) throws IOException {
    return lasting(open -> open.read(to, position));
  }

  /// Writes as [FileChannel#write(ByteBuffer, long)] does.
  public int write(ByteBuffer from, long position) throws IOException {
    requireSound();
    return lasting(open -> open.write(from, position));
  }

  /// Returns how many bytes the file has.
  public long size() throws IOException {
    return lasting(FileChannel::size);
  }

  /// Makes what was written permanent. An interrupt ends it no earlier: it would hide a failure.
  public void force() throws IOException {
    requireSound();
    try {
      UninterruptedWork.run(
          () -> {
            boolean _ =
                lasting(
                    open -> {
                      open.force(true);
                      return true;
                    });
          });
    } catch (IOException e) {
      failedForce = e;
      throw e;
    }
  }

  private void requireSound() throws IOException {
    IOException failed = failedForce;
    if (failed != null) {
      throw new IOException(
          "%s could not be brought to the disk before: %s".formatted(path, failed.getMessage()),
          failed);
    }
  }

  private interface Use<R> {
    R of(FileChannel open) throws IOException;
  }

  private <R> R lasting(Use<R> use) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        FileChannel open = channel;
        try {
          return use.of(open);
        } catch (ClosedChannelException e) {
          if (closed) {
            throw e;
          }
          interrupted |= Thread.interrupted();
          openAgain();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Opens the file, unless another thread has done so.
  private synchronized void openAgain() throws IOException {
    if (closed || channel.isOpen()) {
      return;
    }
    FileChannel again = FileChannel.open(path, option);
    boolean isSame = false;
    try {
      isSame = Objects.equals(key(), key);
    } finally {
      if (isSame) {
        channel = again;
      } else {
        again.close();
      }
    }
    if (!isSame) {
      throw new IOException(path + " was replaced by another file while it was in use");
    }
  }

  /// Closes the file. Any number of times.
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    channel.close();
  }
}
