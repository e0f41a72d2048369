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

/// Measures a disk by all ways to use it. In a folder, it writes a file whose name is deleted as
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

  /// The part of a load's time that goes before it.
  private static final int WARM_UP = 10;

  /// One line of the result.
  ///
  /// @param name what was done
  record Row(String name, DiskLoad.Result result) {}

  /// A way to use the disk, and its own file.
  private record Lane(DiskQueue queue, DiskFile file, List<Row> rows) {}

  /// Measures all loads, and returns the rows of each queue. The queues take turns: what a disk
  /// does besides, such as writing what was written before, and what Java compiles meanwhile, hits
  /// the first and the last of them alike.
  List<List<Row>> measure(List<DiskQueue> queues) throws IOException {
    boolean isFolder = Files.isDirectory(path);
    var lanes = new ArrayList<Lane>();
    try {
      for (DiskQueue queue : queues) {
        lanes.add(new Lane(queue, isFolder ? makeNameless(queue) : open(queue), new ArrayList<>()));
      }
      if (isFolder) {
        load("write in order", DiskOperation.Kind.WRITE, LARGE, LARGE_DEPTH, lanes);
        for (Lane lane : lanes) {
          lane.rows.add(sync(lane.queue, lane.file));
        }
      }
      load("read in order", DiskOperation.Kind.READ, LARGE, LARGE_DEPTH, lanes);
      load("read at random", DiskOperation.Kind.READ, SMALL, 1, lanes);
      load("read at random", DiskOperation.Kind.READ, SMALL, DEPTH, lanes);
      if (isFolder) {
        load("write at random", DiskOperation.Kind.WRITE, SMALL, DEPTH, lanes);
        for (Lane lane : lanes) {
          lane.rows.add(commits(lane.queue, lane.file));
        }
      }
    } finally {
      for (Lane lane : lanes) {
        lane.file.close();
      }
    }
    return lanes.stream().map(Lane::rows).toList();
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

  private void load(
      String name, DiskOperation.Kind kind, int blockBytes, int depth, List<Lane> lanes)
      throws IOException {
    boolean isRandom = blockBytes == SMALL;
    int block = (int) Math.min(blockBytes, bytes);
    var load = new DiskLoad(kind, block, depth, isRandom);
    // The file is written once, and whole: the loads that follow use all of it.
    if (kind == DiskOperation.Kind.WRITE && !isRandom) {
      for (Lane lane : lanes) {
        lane.rows.add(new Row(name, apply(load, lane, Long.MAX_VALUE, bytes / block)));
      }
      return;
    }
    for (Lane lane : lanes) {
      DiskLoad.Result _ = apply(load, lane, nanos / WARM_UP, Long.MAX_VALUE);
    }
    var halves = new ArrayList<DiskLoad.Result>();
    for (Lane lane : lanes) {
      halves.add(apply(load, lane, nanos / 2, Long.MAX_VALUE));
    }
    for (int i = lanes.size() - 1; i >= 0; i--) {
      DiskLoad.Result second = apply(load, lanes.get(i), nanos / 2, Long.MAX_VALUE);
      lanes.get(i).rows.add(new Row(name, halves.get(i).plus(second)));
    }
  }

  private DiskLoad.Result apply(DiskLoad load, Lane lane, long most, long operations)
      throws IOException {
    return load.apply(lane.queue, lane.file, bytes, most, operations, SEED);
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
