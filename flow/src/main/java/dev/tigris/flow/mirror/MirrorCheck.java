package dev.tigris.flow.mirror;

import dev.tigris.memory.Jbuf;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads all copies of a data set, and writes those anew that are missing or damaged.
///
/// Thread rule: one thread.
final class MirrorCheck {
  private static final int AT_ONCE = 8;
  private static final int ALIGNMENT = 4096;
  private static final int MOST_PROBLEMS = 1000;
  private static final String PARTIAL = ".partial";

  private final Mirror mirror;
  private Manifest manifest;
  private final List<String> problems = new ArrayList<>();
  private int copies;
  private int badCopies;
  private int repairedCopies;
  private int repairedManifests;
  private long lostBlocks;

  MirrorCheck(Mirror mirror) {
    this.mirror = mirror;
    this.manifest = mirror.manifest();
  }

  Mirror.Report check() throws IOException {
    problems.addAll(mirror.problems());
    try (DiskQueue queue = DiskQueue.open(AT_ONCE)) {
      var files = new MirrorFiles(mirror, queue);
      problems.addAll(files.problems());
      for (int segment = 0; segment < manifest.segments().size(); segment++) {
        State state = look(queue, files, segment);
        lostBlocks += state.lost();
      }
    }
    return report();
  }

  private Mirror.Report report() {
    List<String> told =
        problems.size() > MOST_PROBLEMS ? problems.subList(0, MOST_PROBLEMS) : problems;
    return new Mirror.Report(
        copies,
        badCopies,
        lostBlocks,
        repairedCopies,
        mirror.badManifests().size(),
        repairedManifests,
        told);
  }

  /// The copies of a segment.
  ///
  /// @param good for each copy that there should be, which blocks of it are intact
  /// @param isWhole for each, whether all of it is
  private record State(List<Integer> disks, List<BitSet> good, List<Boolean> isWhole, long blocks) {
    long lost() {
      var any = new BitSet();
      good.forEach(any::or);
      return blocks - any.cardinality();
    }
  }

  /// Returns the disks that should have a segment: those of the plan, and those that have it.
  private List<Integer> disksOf(int segment) {
    List<Integer> disks = new ArrayList<>();
    for (int copy = 0; copy < manifest.copies(); copy++) {
      disks.add((segment + copy) % manifest.disks().size());
    }
    return disks;
  }

  private State look(DiskQueue queue, MirrorFiles files, int segment) throws IOException {
    List<Integer> disks = disksOf(segment);
    List<BitSet> good = new ArrayList<>();
    List<Boolean> isWhole = new ArrayList<>();
    for (int disk : disks) {
      copies++;
      BitSet blocks = new BitSet();
      DiskFile file = files.file(segment, disk);
      BlockSums sums = files.sums(segment);
      boolean isTableGood = files.sumsOf(segment, disk) != null;
      if (file != null && sums != null) {
        read(queue, file, segment, sums, blocks);
      }
      boolean whole =
          file != null && isTableGood && blocks.cardinality() == manifest.blocks(segment);
      badCopies += whole ? 0 : 1;
      good.add(blocks);
      isWhole.add(whole);
    }
    return new State(disks, good, isWhole, manifest.blocks(segment));
  }

  /// Reads a copy, and notes which blocks are intact.
  private void read(DiskQueue queue, DiskFile file, int segment, BlockSums sums, BitSet good) {
    long blocks = manifest.blocks(segment);
    Jbuf memory = Jbuf.allocate((long) AT_ONCE * manifest.blockBytes() + ALIGNMENT, "mirror");
    MemorySegment all = memory.asBytes().segment();
    long lead = -all.address() & (ALIGNMENT - 1);
    Deque<MemorySegment> free = new ArrayDeque<>();
    for (int i = 0; i < AT_ONCE; i++) {
      free.add(all.asSlice(lead + (long) i * manifest.blockBytes(), manifest.blockBytes()));
    }
    try {
      long next = 0;
      long done = 0;
      while (done < blocks) {
        while (next < blocks && !free.isEmpty()) {
          MemorySegment part = free.remove().asSlice(0, manifest.bytesOf(segment, next));
          queue.start(new DiskOperation().toRead(file, next * manifest.blockBytes(), part));
          next++;
        }
        DiskOperation read = queue.take();
        done++;
        judge(read, segment, sums, good);
        free.add(all.asSlice(read.memory().address() - all.address(), manifest.blockBytes()));
      }
    } finally {
      memory.unreference(Jbuf::free);
    }
  }

  private void judge(DiskOperation read, int segment, BlockSums sums, BitSet good) {
    long block = read.position() / manifest.blockBytes();
    IOException failure = read.failure();
    if (failure != null) {
      problems.add(String.valueOf(failure.getMessage()));
    } else if (read.transferred() == read.memory().byteSize()
        && sums.isIntact(block, read.memory())) {
      good.set((int) block);
    } else {
      problems.add(
          "block %d of segment %d is damaged in %s"
              .formatted(
                  block, segment, read.file() == null ? "a file" : read.file().path().toString()));
    }
  }

  /// Repairs, and uses another folder in place of one from now on.
  Mirror.Report repair(@Nullable Path from, @Nullable Path to) throws IOException {
    List<Path> disks = replaced(from, to);
    List<Manifest.Segment> segments = new ArrayList<>();
    try (DiskQueue queue = DiskQueue.open(AT_ONCE)) {
      var files = new MirrorFiles(mirror, queue);
      Manifest after = manifest.with(manifest.generation() + 1, disks, manifest.segments());
      int replacedDisk = from == null ? -1 : manifest.disks().indexOf(find(from));
      for (int segment = 0; segment < manifest.segments().size(); segment++) {
        State state = look(queue, files, segment);
        segments.add(repair(queue, files, segment, state, after, replacedDisk));
      }
    }
    manifest = manifest.with(manifest.generation() + 1, disks, segments);
    boolean isNeeded = repairedCopies > 0 || !mirror.problems().isEmpty() || from != null;
    problems.clear();
    if (isNeeded) {
      List<Integer> written = MirrorPlan.commit(manifest, mirror.name(), problems::add);
      repairedManifests = (int) mirror.badManifests().stream().filter(written::contains).count();
    }
    if (lostBlocks > 0) {
      problems.add(
          "%d blocks have no good copy left, and cannot be repaired".formatted(lostBlocks));
    }
    return report();
  }

  private Path find(Path folder) throws IOException {
    for (Path disk : manifest.disks()) {
      boolean isNamed =
          FileHost.isElsewhere(disk)
              ? disk.equals(folder)
              : disk.equals(folder.toAbsolutePath().normalize());
      if (isNamed || (FileHost.isFolder(folder) && disk.equals(FileHost.of(folder).real(folder)))) {
        return disk;
      }
    }
    throw new MirrorException(
        "%s is no disk of %s: it has %s".formatted(folder, mirror, manifest.disks()));
  }

  private List<Path> replaced(@Nullable Path from, @Nullable Path to) throws IOException {
    List<Path> disks = new ArrayList<>(manifest.disks());
    if (from != null && to != null) {
      Path real = MirrorPlan.realFolder(to);
      if (disks.contains(real)) {
        throw new MirrorException(to + " is a disk of the data set already: name another one");
      }
      disks.set(disks.indexOf(find(from)), real);
    }
    return disks;
  }

  /// Writes the bad copies of a segment anew. Returns the segment with the disks that then have it.
  private Manifest.Segment repair(
      DiskQueue queue,
      MirrorFiles files,
      int segment,
      State state,
      Manifest after,
      int replacedDisk)
      throws IOException {
    Manifest.Segment known = manifest.segments().get(segment);
    long lost = state.lost();
    lostBlocks += lost;
    List<Integer> wanted = new ArrayList<>();
    for (int i = 0; i < state.disks.size(); i++) {
      int disk = state.disks.get(i);
      if (!state.isWhole.get(i) || disk == replacedDisk) {
        wanted.add(disk);
      }
    }
    wanted.removeIf(disk -> !FileHost.isFolder(after.disks().get(disk)));
    if (wanted.isEmpty() || lost > 0) {
      return known;
    }
    String name = mirror.name();
    for (int disk : wanted) {
      Path partial = partial(after.file(name, segment, disk));
      FileHost.of(partial).delete(partial);
    }
    Manifest.Segment written;
    try (var writer =
        new SegmentWriter(
            after,
            segment,
            wanted,
            disk -> partial(after.file(name, segment, disk)),
            problems::add)) {
      copy(queue, files, segment, state, writer);
      written = writer.finish();
    }
    if (written.tableSum() != known.tableSum() || written.bytes() != known.bytes()) {
      throw new MirrorException(
          "segment %d of %s was changed while it was repaired: try again when no program writes it"
              .formatted(segment, mirror));
    }
    List<Integer> disks = new ArrayList<>();
    for (int i = 0; i < state.disks.size(); i++) {
      int disk = state.disks.get(i);
      // A disk that is away may come back with its copy.
      if (!wanted.contains(disk) && (state.isWhole.get(i) || known.disks().contains(disk))) {
        disks.add(disk);
      }
    }
    for (int disk : written.disks()) {
      Path file = after.file(name, segment, disk);
      FileHost.of(file).rename(partial(file), file);
      disks.add(disk);
      repairedCopies++;
    }
    return new Manifest.Segment(known.bytes(), known.tableSum(), disks);
  }

  private static Path partial(Path file) {
    return file.resolveSibling(file.getFileName() + PARTIAL);
  }

  /// Copies the blocks of a segment, each from a copy in which it is intact.
  private void copy(
      DiskQueue queue, MirrorFiles files, int segment, State state, SegmentWriter writer)
      throws IOException {
    Jbuf memory = Jbuf.allocate(manifest.blockBytes(), "mirror");
    MemorySegment buffer = memory.asBytes().segment();
    try {
      for (long block = 0; block < manifest.blocks(segment); block++) {
        MemorySegment part = buffer.asSlice(0, manifest.bytesOf(segment, block));
        writer.write(readGood(queue, files, segment, state, block, part));
      }
    } finally {
      memory.unreference(Jbuf::free);
    }
  }

  private MemorySegment readGood(
      DiskQueue queue, MirrorFiles files, int segment, State state, long block, MemorySegment into)
      throws IOException {
    for (int i = 0; i < state.disks.size(); i++) {
      DiskFile file = files.file(segment, state.disks.get(i));
      BlockSums sums = files.sums(segment);
      if (file != null && sums != null && state.good.get(i).get((int) block)) {
        DiskOperation read =
            queue.run(new DiskOperation().toRead(file, block * manifest.blockBytes(), into));
        if (read.transferred() == into.byteSize() && sums.isIntact(block, into)) {
          return into;
        }
      }
    }
    throw new MirrorException(
        "block %d of segment %d of %s could be read before, and now cannot: repair again"
            .formatted(block, segment, mirror));
  }
}
