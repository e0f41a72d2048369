package dev.tigris.flow.mirror;

import dev.tigris.flow.FileTime;
import dev.tigris.memory.Jbuf;
import dev.tigris.os.disk.DiskException;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Writes a segment to the files of all its copies at once.
///
/// ```
///   0          block bytes                         a multiple of 4,096
///   +---------+---------+-- ... --+------+- - - - -+-----------------+
///   | block 0 | block 1 |         | last |         | sums of blocks  |      each copy
///   +---------+---------+-- ... --+------+- - - - -+-----------------+
/// ```
///
/// A copy whose disk fails is given up, and writing goes on as long as one is left.
///
/// Thread rule: the thread that made it.
final class SegmentWriter implements AutoCloseable {
  private static final int SLOTS = 8;
  private static final int ALIGNMENT = 4096;

  /// A copy.
  private static final class Copy {
    final int disk;
    final Path path;
    @Nullable DiskFile file;

    Copy(int disk, Path path) {
      this.disk = disk;
      this.path = path;
    }
  }

  /// The memory of a block, which is being filled or written.
  private static final class Slot {
    final MemorySegment memory;
    int writes;

    Slot(MemorySegment memory) {
      this.memory = memory;
    }
  }

  /// What an operation is of.
  private record Target(@Nullable Slot slot, Copy copy) {}

  private final DiskQueue queue;
  private final int segment;
  private final int blockBytes;
  private final List<Copy> copies = new ArrayList<>();
  private final Consumer<String> warnings;
  private final BlockSums sums;
  private final Jbuf memory;
  private final Deque<Slot> free = new ArrayDeque<>();
  private @Nullable Slot filling;
  private int filled;
  private long written;
  private @Nullable IOException lastFailure;
  private boolean closed;

  /// Makes the files.
  ///
  /// @param disks the numbers of the disks that get a copy
  /// @param files the file of the copy on a disk
  /// @param warnings hears of each copy that is given up
  /// @throws MirrorException if no file can be made
  SegmentWriter(
      Manifest plan,
      int segment,
      List<Integer> disks,
      IntFunction<Path> files,
      Consumer<String> warnings)
      throws IOException {
    this.segment = segment;
    this.blockBytes = plan.blockBytes();
    this.warnings = warnings;
    this.sums = new BlockSums(plan.id(), segment);
    this.memory = Jbuf.allocate((long) SLOTS * blockBytes + ALIGNMENT, "mirror");
    MemorySegment all = memory.asBytes().segment();
    long lead = -all.address() & (ALIGNMENT - 1);
    for (int slot = 0; slot < SLOTS; slot++) {
      free.add(new Slot(all.asSlice(lead + (long) slot * blockBytes, blockBytes)));
    }
    this.queue = DiskQueue.open(SLOTS * Math.max(1, disks.size()));
    boolean made = false;
    try {
      for (int disk : disks) {
        copies.add(new Copy(disk, files.apply(disk)));
      }
      for (Copy copy : List.copyOf(copies)) {
        try {
          copy.file = queue.open(copy.path, DiskFile.Mode.MAKE, DiskFile.Caching.DIRECT);
        } catch (IOException e) {
          lose(copy, e);
        }
      }
      made = true;
    } finally {
      if (!made) {
        close();
      }
    }
  }

  private void lose(Copy copy, IOException failure) throws MirrorException {
    if (!copies.remove(copy)) {
      return;
    }
    IOException before = lastFailure;
    if (before != null && !before.equals(failure)) {
      failure.addSuppressed(before);
    }
    lastFailure = failure;
    if (copies.isEmpty()) {
      throw new MirrorException(
          "segment %d cannot be written to any of its disks: %s"
              .formatted(segment, failure.getMessage()),
          failure);
    }
    warnings.accept(
        "%s is given up, and segment %d has %s left: %s"
            .formatted(
                copy.path,
                segment,
                copies.size() == 1 ? "one copy" : copies.size() + " copies",
                failure.getMessage()));
  }

  /// Writes some bytes behind those before. They are the caller's again when it returns.
  void write(MemorySegment from) throws IOException {
    long at = 0;
    while (at < from.byteSize()) {
      Slot slot = filling;
      if (slot == null) {
        slot = takeFree();
        filling = slot;
        filled = 0;
      }
      long length = Math.min(from.byteSize() - at, blockBytes - filled);
      MemorySegment.copy(from, at, slot.memory, filled, length);
      filled += (int) length;
      at += length;
      if (filled == blockBytes) {
        send(slot);
      }
    }
  }

  private Slot takeFree() throws IOException {
    Slot slot = free.poll();
    while (slot == null) {
      ended(await());
      slot = free.poll();
    }
    return slot;
  }

  private void send(Slot slot) throws IOException {
    MemorySegment block = slot.memory.asSlice(0, filled);
    sums.add(block);
    filling = null;
    start(slot, block, written);
    written += filled;
    queue.submit();
    for (DiskOperation done = queue.takeNow(); done != null; done = queue.takeNow()) {
      ended(done);
    }
  }

  private void start(@Nullable Slot slot, MemorySegment bytes, long position) {
    for (Copy copy : copies) {
      DiskFile file = copy.file;
      if (file != null) {
        if (slot != null) {
          slot.writes++;
        }
        queue.start(
            new DiskOperation().toWrite(file, position, bytes).keeping(new Target(slot, copy)));
      }
    }
  }

  private void ended(DiskOperation operation) throws IOException {
    if (!(operation.keeper() instanceof Target target)) {
      throw new IllegalStateException("an operation of no slot");
    }
    Slot slot = target.slot();
    if (slot != null && --slot.writes == 0) {
      free.add(slot);
    }
    DiskException failure = operation.failure();
    if (failure != null) {
      lose(target.copy(), failure);
    }
  }

  private DiskOperation await() {
    try (FileTime _ = FileTime.begin()) {
      return queue.take();
    }
  }

  private void awaitAll() throws IOException {
    while (queue.underWay() > 0) {
      ended(await());
    }
    for (DiskOperation done = queue.takeNow(); done != null; done = queue.takeNow()) {
      ended(done);
    }
  }

  /// Writes the last block and the table, and returns when the copies that are left are on their
  /// disks.
  Manifest.Segment finish() throws IOException {
    Slot slot = filling;
    if (slot != null) {
      send(slot);
    }
    awaitAll();
    long bytes = Math.max(1, (long) sums.count() * BlockSums.BYTES);
    Jbuf buffer = Jbuf.allocate(bytes, "mirror");
    MemorySegment table = buffer.asBytes().segment();
    int tableSum;
    try {
      tableSum = sums.store(table);
      start(
          null, table.asSlice(0, (long) sums.count() * BlockSums.BYTES), Manifest.tableAt(written));
      awaitAll();
    } finally {
      buffer.unreference(Jbuf::free);
    }
    for (Copy copy : List.copyOf(copies)) {
      DiskFile file = copy.file;
      if (file != null) {
        queue.start(new DiskOperation().toSync(file).keeping(new Target(null, copy)));
      }
    }
    awaitAll();
    for (Copy copy : List.copyOf(copies)) {
      try (FileTime _ = FileTime.begin()) {
        FileHost.of(copy.path).syncName(copy.path);
      } catch (IOException e) {
        lose(copy, e);
      }
    }
    return new Manifest.Segment(written, tableSum, copies.stream().map(copy -> copy.disk).toList());
  }

  /// Closes the files. What was written stays.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      queue.close();
      memory.unreference(Jbuf::free);
    }
  }
}
