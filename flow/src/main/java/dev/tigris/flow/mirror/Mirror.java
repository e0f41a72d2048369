package dev.tigris.flow.mirror;

import dev.tigris.flow.Flow;
import dev.tigris.flow.StreamGroup;
import dev.tigris.os.Folders;
import dev.tigris.os.PartialFile;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A mirrored data set: bytes that lie in segments on several disks, each segment on two of them or
/// more (*graduated declustering*, thesis section 6).
///
/// ```
///   disk 0          disk 1          disk 2          disk 3
///   NAME.mirror     NAME.mirror     NAME.mirror     NAME.mirror      the manifest
///   segment 0       segment 1       segment 2       segment 3
///   segment 3       segment 0       segment 1       segment 2        the second copies
/// ```
///
/// ```java
/// Flow.named("load")                                       // each replica writes a segment
///     .source("make", Maker::new, 8)
///     .drain("make", Mirror.writing("trades", disks, System.err::println))
///     .build().start().await();
///
/// Mirror trades = Mirror.open(disks.getFirst().resolve("trades.mirror"));
/// Flow.named("scan").stage("scan", Scan::new, 8).feed("scan", trades.feed()).build();
/// ```
///
/// **When it is there.** All data is on the disks before the first manifest is, and a manifest gets
/// its name whole. After a crash, a name leads to the old data set or to the new one. A disk that
/// fails while a data set is written is left out, as long as each segment has a copy.
///
/// **Reading.** A disk serves the reader that is furthest behind ([Declustering]). Each block has a
/// checksum. A block that is damaged, late, or on a disk that has died is read from its twin.
///
/// **Disks of other hosts** are folders `HOST:DIR`, which the worker of that host serves
/// (`tigris worker --disks DIR`). The processes that read from such a disk share their progress.
///
/// Thread rule: any thread.
public final class Mirror {
  /// How a copy of a block is chosen. All but the first are for comparison.
  public enum Choice {
    /// Graduated declustering.
    GRADUATED,
    /// One copy for all of a segment, by a hash of its number.
    BY_HASH,
    /// The copies in turn.
    IN_TURN
  }

  /// An account of the reading of a data set.
  ///
  /// @param reads how many reads were begun
  /// @param secondReads how many of them because another was late
  /// @param slowness how many times slower each disk is than one in the middle; infinite for one
  ///     that was given up
  /// @param problems what was found wrong, in words for people
  public record Reads(long reads, long secondReads, List<Double> slowness, List<String> problems) {
    /// An account with its own lists.
    public Reads {
      slowness = List.copyOf(slowness);
      problems = List.copyOf(problems);
    }
  }

  /// The outcome of a check or repair.
  ///
  /// @param copies how many copies of segments there should be
  /// @param badCopies how many of them are missing or damaged in a block at least
  /// @param lostBlocks how many blocks have no good copy left
  /// @param repairedCopies how many copies were written anew
  /// @param badManifests how many disks have no manifest, or one of an earlier version
  /// @param repairedManifests how many disks got a manifest in place of these
  /// @param problems what was found, in words for people
  public record Report(
      int copies,
      int badCopies,
      long lostBlocks,
      int repairedCopies,
      int badManifests,
      int repairedManifests,
      List<String> problems) {
    /// A report with its own list.
    public Report {
      problems = List.copyOf(problems);
    }

    /// Returns whether every copy is there, and intact.
    public boolean isWell() {
      return problems.isEmpty() && lostBlocks == 0 && badCopies <= repairedCopies;
    }
  }

  /// Blocks have this size unless another is asked for.
  public static final int USUAL_BLOCK_BYTES = 256 << 10;

  private static final int COPIED_BYTES = 4 << 20;
  private static final int HASH_FACTOR = 0x9E3779B9;
  private static final int HASH_SHIFT = 16;

  private final String name;
  private final Manifest manifest;
  private final List<Integer> badManifests;
  private final List<String> problems;
  private final Choice choice;
  private final Map<Integer, Long> rates;

  Mirror(
      String name,
      Manifest manifest,
      List<Integer> badManifests,
      List<String> problems,
      Choice choice,
      Map<Integer, Long> rates) {
    this.name = name;
    this.manifest = manifest;
    this.badManifests = List.copyOf(badManifests);
    this.problems = List.copyOf(problems);
    this.choice = choice;
    this.rates = Map.copyOf(rates);
  }

  /// Returns whether a file is a manifest, by its name, which ends with `.mirror`, and its first
  /// bytes.
  public static boolean isManifest(Path file) {
    if (!file.toString().endsWith(Manifest.SUFFIX)) {
      return false;
    }
    if (FileHost.isElsewhere(file)) {
      return readQuietly(file) != null;
    }
    if (!Files.isRegularFile(file)) {
      return false;
    }
    byte[] first = Manifest.FIRST.getBytes(StandardCharsets.US_ASCII);
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(first.length), StandardCharsets.US_ASCII)
          .equals(Manifest.FIRST);
    } catch (IOException e) {
      return false; // who opens it hears why
    }
  }

  /// Opens a data set by the manifest on any of its disks. Where disks have different ones, because
  /// one was away or the machine has crashed, the newest counts.
  ///
  /// @throws MirrorException if the manifest is damaged or of a later version
  public static Mirror open(Path file) throws IOException {
    Manifest newest = read(file);
    String full = String.valueOf(file.toAbsolutePath().getFileName());
    String name =
        full.endsWith(Manifest.SUFFIX)
            ? full.substring(0, full.length() - Manifest.SUFFIX.length())
            : full;
    for (boolean found = true; found; ) {
      found = false;
      for (Path disk : newest.disks()) {
        Manifest other = readQuietly(disk.resolve(name + Manifest.SUFFIX));
        if (other != null && other.generation() > newest.generation()) {
          newest = other;
          found = true;
          break;
        }
      }
    }
    List<String> problems = new ArrayList<>();
    List<Integer> bad = new ArrayList<>();
    for (int disk = 0; disk < newest.disks().size(); disk++) {
      Path place = newest.disks().get(disk).resolve(name + Manifest.SUFFIX);
      Manifest there = readQuietly(place);
      if (there == null) {
        problems.add(place + " is missing or damaged");
        bad.add(disk);
      } else if (there.generation() != newest.generation()) {
        problems.add(place + " is of an earlier version of the data set");
        bad.add(disk);
      }
    }
    for (int segment = 0; segment < newest.segments().size(); segment++) {
      int copies = newest.segments().get(segment).disks().size();
      if (copies < newest.copies()) {
        problems.add(
            "segment %d was written to %d of %d disks".formatted(segment, copies, newest.copies()));
      }
    }
    return new Mirror(name, newest, bad, problems, Choice.GRADUATED, Map.of());
  }

  static Manifest read(Path file) throws IOException {
    if (!FileHost.isElsewhere(file) && Files.size(file) > Manifest.MOST_BYTES) {
      throw new MirrorException(file + " is no manifest of a mirrored data set: it is too large");
    }
    return Manifest.decode(FileHost.of(file).read(file, Manifest.MOST_BYTES), file);
  }

  static @Nullable Manifest readQuietly(Path file) {
    try {
      return FileHost.isFile(file) ? read(file) : null;
    } catch (IOException e) {
      return null;
    }
  }

  /// Returns a drain that writes a data set: each replica of the stage writes a segment, and the
  /// whole is one after the other. Segment `i` is written to disk `i` and the next one, counted
  /// round. An existing data set of the name is replaced.
  ///
  /// @param name the manifests are `NAME.mirror`
  /// @param disks folders, two at least, each on a disk of its own
  /// @param warnings hears of each disk that fails meanwhile, in words for people
  public static StreamGroup writing(String name, List<Path> disks, Consumer<String> warnings) {
    return new MirrorDrain(
        new MirrorPlan(name, disks, false, USUAL_BLOCK_BYTES, MirrorPlan.USUAL_COPIES), warnings);
  }

  /// Returns a drain as [#writing] does, of blocks of another size.
  ///
  /// @param isStriped whether replica `i` of `n` writes the blocks `i`, `i + n` and so on of the
  ///     whole. Else the whole is what the first writes, then what the second writes, and so on
  /// @param blockBytes a multiple of 4,096, up to 64 MiB
  /// @param copies how many disks get each segment
  public static StreamGroup writing(
      String name,
      List<Path> disks,
      boolean isStriped,
      int blockBytes,
      int copies,
      Consumer<String> warnings) {
    return new MirrorDrain(new MirrorPlan(name, disks, isStriped, blockBytes, copies), warnings);
  }

  /// Returns a flow that makes a data set of a file, striped over all disks: so who reads it in
  /// order uses all of them.
  ///
  /// @param name of the data set
  /// @param blockBytes a multiple of 4,096, up to 64 MiB
  /// @param copies how many disks get each block, from 2 to all
  /// @throws MirrorException if a disk is not a folder, or two are one
  public static Flow copying(
      Path file,
      String name,
      List<Path> disks,
      int blockBytes,
      int copies,
      Consumer<String> warnings)
      throws IOException {
    long bytes = Files.size(file);
    var plan = new MirrorPlan(name, disks, true, blockBytes, copies);
    Manifest _ = plan.begin();
    return Flow.named("mirror")
        .source("read", () -> new BlockSource(file, bytes, blockBytes), disks.size())
        .drain("read", new MirrorDrain(plan, warnings))
        .build();
  }

  /// Returns a feed of the segments: replica `i` of `n` gets the blocks of segment `i`, then of
  /// segment `i + n` and so on, each block in a water.
  public StreamGroup feed() {
    return new MirrorFeed(this);
  }

  /// Opens it to be read at any position, as a file is.
  public MirrorFile openFile() throws IOException {
    return new MirrorFile(this);
  }

  /// Makes a plain file of it, which has its name when it is whole and on the disk, and then
  /// replaces what had that name.
  ///
  /// @return an account of the reading, with what was found wrong and read from another copy
  /// @throws MirrorException if no copy of a block is left; then no file is made
  public Reads copyTo(Path file) throws IOException, InterruptedException {
    try (MirrorFile from = openFile();
        var to = new PartialFile(file)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(COPIED_BYTES);
      long done = 0;
      while (done < from.size()) {
        done += from.read(buffer.clear(), done);
        buffer.flip();
        while (buffer.hasRemaining()) {
          int _ = to.channel().write(buffer);
        }
      }
      to.complete();
      boolean _ = Folders.sync(file.toAbsolutePath().resolveSibling("."), file);
      return from.reads();
    }
  }

  /// Reads everything on all disks, and says what is wrong.
  public Report check() throws IOException {
    return new MirrorCheck(this).check();
  }

  /// Writes each copy that is missing or damaged anew, from the good blocks of the others, and then
  /// the manifests of a new version. A crash leaves the data set as it was, or repaired.
  ///
  /// @param from a folder in place of which another is used from now on, as that of a disk that
  ///     has died; null for none
  /// @param to that other folder
  public Report repair(@Nullable Path from, @Nullable Path to) throws IOException {
    return new MirrorCheck(this).repair(from, to);
  }

  /// Returns its name.
  public String name() {
    return name;
  }

  /// Returns how many bytes it has.
  public long bytes() {
    return manifest.bytes();
  }

  /// Returns how many bytes a block has, but for the last of a segment.
  public int blockBytes() {
    return manifest.blockBytes();
  }

  /// Returns how many segments it has.
  public int segments() {
    return manifest.segments().size();
  }

  /// Returns the folders of its disks, which are numbered in this order.
  public List<Path> disks() {
    return manifest.disks();
  }

  /// Returns a text that tells this data set, and this version of it, from all others.
  public String identity() {
    return manifest.id() + " " + manifest.generation();
  }

  /// Returns what is known to be wrong, in words for people; nothing was read for that.
  public List<String> problems() {
    return problems;
  }

  /// Returns the disks whose manifest is missing or of an earlier version.
  List<Integer> badManifests() {
    return badManifests;
  }

  /// Returns it with a disk that is as slow as one of some rate: for tests and demonstrations.
  ///
  /// @param bytesPerSecond 0 for a disk that never answers
  public Mirror slowed(int disk, long bytesPerSecond) {
    Map<Integer, Long> changed = new HashMap<>(rates);
    changed.put(disk, bytesPerSecond);
    return new Mirror(name, manifest, badManifests, problems, choice, changed);
  }

  /// Returns it with another way to choose copies: for comparison.
  public Mirror choosing(Choice other) {
    return new Mirror(name, manifest, badManifests, problems, other, rates);
  }

  Manifest manifest() {
    return manifest;
  }

  @Nullable Long rate(int disk) {
    return rates.get(disk);
  }

  /// Returns the disks that a block may be read from.
  int[] copies(int segment, long block) {
    List<Integer> all = manifest.segments().get(segment).disks();
    if (all.isEmpty() || choice == Choice.GRADUATED) {
      return all.stream().mapToInt(disk -> disk).toArray();
    }
    int hash = (segment * HASH_FACTOR) >>> HASH_SHIFT;
    int copy = (int) ((choice == Choice.BY_HASH ? hash : block) % all.size());
    return new int[] {all.get(copy)};
  }

  @Override
  public String toString() {
    return "mirrored data set " + name;
  }
}
