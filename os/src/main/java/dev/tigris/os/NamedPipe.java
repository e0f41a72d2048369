package dev.tigris.os;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Opens pipes that have names. The system's call returns when another process has opened the other
/// end, and no interrupt ends it before. So a thread of its own makes the call.
///
/// Thread rule: any thread.
public final class NamedPipe {
  // Of a file's mode: `S_IFMT` and `S_IFIFO` of sys/stat.h.
  private static final int FILE_TYPE = 0xf000;
  private static final int PIPE = 0x1000;

  private NamedPipe() {}

  /// Returns whether a path leads to a pipe.
  public static boolean is(Path path) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && Files.exists(path)
        && ((int) Files.getAttribute(path, "unix:mode") & FILE_TYPE) == PIPE;
  }

  /// Opens a file, and waits for the other end if it is a pipe.
  ///
  /// @throws ClosedByInterruptException if the thread is interrupted while it waits; the interrupt
  ///     stays pending
  public static FileChannel open(Path path, OpenOption option) throws IOException {
    if (!is(path)) {
      return FileChannel.open(path, option);
    }
    CompletableFuture<FileChannel> opened = new CompletableFuture<>();
    CompletableFuture<Void> gone =
        CompletableFuture.runAsync(
            () -> open(path, option, opened),
            Thread.ofPlatform().daemon().name("tigris-pipe")::start);
    try {
      return opened.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      if (opened.cancel(false)) {
        release(path, gone);
      } else if (!opened.isCompletedExceptionally()) {
        opened.join().close();
      }
      throw new ClosedByInterruptException();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e);
    }
  }

  private static void open(Path path, OpenOption option, CompletableFuture<FileChannel> opened) {
    try {
      FileChannel channel = FileChannel.open(path, option);
      if (!opened.complete(channel)) {
        channel.close();
      }
    } catch (IOException | RuntimeException e) {
      opened.completeExceptionally(e);
    }
  }

  /// Lets the thread that waits go on: to open both ends at once waits for no other process. A user
  /// that may open one end only leaves the thread, which keeps no process from ending.
  private static void release(Path pipe, CompletableFuture<Void> gone) {
    try (FileChannel _ =
        FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      gone.join(); // which no interrupt ends, and which takes no time
    } catch (IOException _) {
      // The thread waits on.
    }
  }
}
