package dev.tigris.cli;

import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskLoad;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Measures a disk by one way to use it. In a folder, it writes a file whose name is deleted as
/// soon as the file is open, so that nothing is left even if the process is killed. A file or a
/// device that is there is read only.
///
/// @param path the folder, file or device
/// @param bytes how large the file is that is written, or how much of the other is read
/// @param nanos for how long each load is applied
record DiskBench(Path path, long bytes, long nanos) {
  private static final int SMALL = 4096;
  private static final int LARGE = 1 << 20;
  private static final int DEPTH = 32;
  private static final int LARGE_DEPTH = 8;
  private static final long SEED = 57;

  /// One line of the result.
  ///
  /// @param name what was done
  record Row(String name, DiskLoad.Result result) {}

  /// Measures all loads.
  List<Row> measure(DiskQueue queue) throws IOException {
    var rows = new ArrayList<Row>();
    boolean isFolder = Files.isDirectory(path);
    try (DiskFile file = isFolder ? makeNameless(queue) : open(queue)) {
      if (isFolder) {
        rows.add(row("write in order", DiskOperation.Kind.WRITE, LARGE, LARGE_DEPTH, queue, file));
        rows.add(sync(queue, file));
      }
      rows.add(row("read in order", DiskOperation.Kind.READ, LARGE, LARGE_DEPTH, queue, file));
      rows.add(row("read at random", DiskOperation.Kind.READ, SMALL, 1, queue, file));
      rows.add(row("read at random", DiskOperation.Kind.READ, SMALL, DEPTH, queue, file));
      if (isFolder) {
        rows.add(row("write at random", DiskOperation.Kind.WRITE, SMALL, DEPTH, queue, file));
        rows.add(commits(queue, file));
      }
    }
    return rows;
  }

  private DiskFile makeNameless(DiskQueue queue) throws IOException {
    Path name = Files.createTempFile(path, ".tigris-disk", ".tmp");
    try {
      return queue.open(name, DiskFile.Mode.WRITE, DiskFile.Caching.DIRECT);
    } finally {
      Files.delete(name);
    }
  }

  private DiskFile open(DiskQueue queue) throws IOException {
    return queue.open(path, DiskFile.Mode.READ, DiskFile.Caching.DIRECT);
  }

  private Row row(
      String name,
      DiskOperation.Kind kind,
      int blockBytes,
      int depth,
      DiskQueue queue,
      DiskFile file)
      throws IOException {
    boolean isRandom = blockBytes == SMALL;
    boolean fills = kind == DiskOperation.Kind.WRITE && !isRandom;
    int block = (int) Math.min(blockBytes, bytes);
    var load = new DiskLoad(kind, block, depth, isRandom);
    // The file is written once, and whole: the loads that follow use all of it.
    long most = fills ? bytes / block : Long.MAX_VALUE;
    long time = fills ? Long.MAX_VALUE : nanos;
    return new Row(name, load.apply(queue, file, bytes, time, most, SEED));
  }

  private static Row sync(DiskQueue queue, DiskFile file) throws IOException {
    long start = System.nanoTime();
    queue.run(new DiskOperation().toSync(file));
    return new Row("sync", new DiskLoad.Result(1, System.nanoTime() - start, 0, 1));
  }

  /// Each write is on the disk before the next one.
  private Row commits(DiskQueue queue, DiskFile file) throws IOException {
    var write = new DiskLoad(DiskOperation.Kind.WRITE, SMALL, 1, true);
    var sync = new DiskOperation();
    long start = System.nanoTime();
    long count = 0;
    do {
      DiskLoad.Result _ = write.apply(queue, file, bytes, nanos, 1, SEED + count);
      queue.run(sync.toSync(file));
      count++;
    } while (System.nanoTime() - start < nanos);
    long taken = System.nanoTime() - start;
    return new Row("write and sync", new DiskLoad.Result(count, taken, SMALL, 1));
  }
}
