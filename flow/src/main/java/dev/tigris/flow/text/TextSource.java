package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Water;
import dev.tigris.flow.ends.FeedStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The files of one feed in one run of a flow, which its streams read together, one file after the
/// other.
///
/// Thread rule: any thread.
final class TextSource implements FeedStream.Feed {
  private final List<Path> files;
  private final TextFormat format;
  private final int blockBytes;
  private int users;
  private int nextFile;
  private @Nullable TextFile current;
  private byte @Nullable [] names;
  private volatile boolean drained;

  TextSource(List<Path> files, TextFormat format, int blockBytes) {
    this.files = files;
    this.format = format;
    this.blockBytes = blockBytes;
  }

  /// Counts a stream; the first one opens the first file, so that a missing one is told at once.
  synchronized void opened() throws IOException {
    users++;
    if (users == 1) {
      current = open();
    }
  }

  /// Counts a stream less; the last one closes what is open.
  @Override
  public synchronized void close() throws IOException {
    users--;
    if (users == 0) {
      drained = true;
      TextFile file = current;
      current = null;
      if (file != null) {
        file.left();
      }
    }
  }

  @Override
  public boolean isDrained() {
    return drained;
  }

  /// Returns a water of rows, or null if there are none left.
  @Override
  public @Nullable Water next(BufferSpring spring) throws IOException, InterruptedException {
    while (true) {
      TextFile file;
      long block;
      synchronized (this) {
        TextFile open = current;
        while (open != null && !open.hasMore()) {
          open.left();
          current = null;
          open = open();
          current = open;
        }
        if (open == null) {
          drained = true;
          return null;
        }
        file = open;
        block = file.take();
      }
      try {
        Water water = file.read(block, spring);
        if (water != null) {
          return water;
        }
      } finally {
        file.left();
      }
    }
  }

  private @Nullable TextFile open() throws IOException {
    if (nextFile == files.size()) {
      return null;
    }
    Path path = files.get(nextFile++);
    TextFile file = TextFile.open(path, format, blockBytes);
    boolean agrees = false;
    try {
      byte[] found = file.names();
      if (found != null) {
        if (names == null) {
          names = found;
        } else if (!Arrays.equals(names, found)) {
          throw new TextException(
              "%s has another first row than %s: the columns of a feed must be the same in all files"
                  .formatted(path, files.getFirst()));
        }
      }
      agrees = true;
      return file;
    } finally {
      if (!agrees) {
        file.left();
      }
    }
  }
}
