package dev.tigris.flow.mirror;

import dev.tigris.memory.Jbuf;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskPace;
import dev.tigris.os.disk.DiskQueue;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The open files of a data set, for reading, and the sums of its blocks.
///
/// Thread rule: the thread of the queue.
final class MirrorFiles {
  /// A copy of a segment.
  private record Copy(int segment, int disk) {}

  private final Mirror mirror;
  private final Manifest manifest;
  private final DiskQueue queue;
  private final Map<Copy, DiskFile> files = new HashMap<>();
  private final List<@Nullable BlockSums> sums = new ArrayList<>();
  private final List<@Nullable DiskPace> paces = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  /// Opens all copies that are there.
  MirrorFiles(Mirror mirror, DiskQueue queue) {
    this.mirror = mirror;
    this.manifest = mirror.manifest();
    this.queue = queue;
    for (int disk = 0; disk < manifest.disks().size(); disk++) {
      Long rate = mirror.rate(disk);
      DiskPace pace = rate == null ? null : new DiskPace(rate);
      String missing = missing(manifest.disks().get(disk));
      if (missing.isEmpty()) {
        openAll(disk);
      } else {
        problems.add(missing + ": nothing of this disk can be read");
      }
      paces.add(pace);
    }
    for (int segment = 0; segment < manifest.segments().size(); segment++) {
      sums.add(findSums(segment));
    }
    files.forEach((copy, file) -> file.pace(paces.get(copy.disk)));
  }

  /// Returns why the folder of a disk cannot be used; empty if it can.
  private static String missing(Path folder) {
    try {
      return FileHost.of(folder).hasFolder(folder) ? "" : folder + " is not there";
    } catch (IOException e) {
      return "%s is not there (%s)".formatted(folder, e.getMessage());
    }
  }

  private void openAll(int disk) {
    for (int segment = 0; segment < manifest.segments().size(); segment++) {
      if (manifest.segments().get(segment).disks().contains(disk)) {
        open(segment, disk);
      }
    }
  }

  private void open(int segment, int disk) {
    try {
      DiskFile file =
          queue.open(
              manifest.file(mirror.name(), segment, disk),
              DiskFile.Mode.READ,
              DiskFile.Caching.DIRECT);
      files.put(new Copy(segment, disk), file);
    } catch (IOException e) {
      problems.add("a copy of segment %d is lost: %s".formatted(segment, e.getMessage()));
    }
  }

  private @Nullable BlockSums findSums(int segment) {
    for (int disk : manifest.segments().get(segment).disks()) {
      BlockSums found = sumsOf(segment, disk);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /// Reads the table of one copy; null if it is not intact.
  @Nullable BlockSums sumsOf(int segment, int disk) {
    DiskFile file = files.get(new Copy(segment, disk));
    if (file == null) {
      return null;
    }
    Manifest.Segment known = manifest.segments().get(segment);
    long bytes = manifest.blocks(segment) * BlockSums.BYTES;
    var into = new BlockSums(manifest.id(), segment);
    Jbuf buffer = Jbuf.allocate(Math.max(1, bytes), "mirror");
    MemorySegment table = buffer.asBytes().segment().asSlice(0, bytes);
    try {
      if (file.size() < Manifest.tableAt(known.bytes()) + bytes && bytes > 0) {
        problems.add(file.path() + " has been cut short");
        return null;
      }
      DiskOperation read =
          queue.run(new DiskOperation().toRead(file, Manifest.tableAt(known.bytes()), table));
      if (read.transferred() == bytes && into.load(table, known.tableSum())) {
        return into;
      }
      problems.add(file.path() + " has a table of checksums that is damaged");
    } catch (IOException e) {
      problems.add(String.valueOf(e.getMessage()));
    } finally {
      buffer.unreference(Jbuf::free);
    }
    return null;
  }

  /// Returns the file of a copy; null if it could not be opened.
  @Nullable DiskFile file(int segment, int disk) {
    return files.get(new Copy(segment, disk));
  }

  /// Returns the sums of a segment; null if no copy of them is intact.
  @Nullable BlockSums sums(int segment) {
    return sums.get(segment);
  }

  /// Returns whether anything of a disk is open.
  boolean has(int disk) {
    return files.keySet().stream().anyMatch(copy -> copy.disk == disk);
  }

  /// Returns what was found wrong, in words for people.
  List<String> problems() {
    return problems;
  }
}
