package dev.tigris.flow.mirror;

import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The shape of a data set that is to be written.
///
/// @param name the manifests are `NAME.mirror`
/// @param disks folders
/// @param isStriped see [Manifest]
/// @param copies how many disks get each segment
record MirrorPlan(String name, List<Path> disks, boolean isStriped, int blockBytes, int copies) {
  static final int USUAL_COPIES = 2;
  private static final int ID_BYTES = 16;

  MirrorPlan {
    disks = List.copyOf(disks);
    if (name.isEmpty() || name.contains("/") || name.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("'%s' does not name a data set".formatted(name));
    }
    if (copies < 2) {
      throw new IllegalArgumentException("copies: %d, where 2 is the least".formatted(copies));
    }
    if (copies > disks.size()) {
      throw new IllegalArgumentException(
          "disks: %d, where %d copies need as many at least".formatted(disks.size(), copies));
    }
    if (disks.size() > Manifest.MOST_DISKS) {
      throw new IllegalArgumentException(
          "%d disks: a data set has %d at most".formatted(disks.size(), Manifest.MOST_DISKS));
    }
    if (blockBytes < Manifest.UNIT
        || blockBytes % Manifest.UNIT != 0
        || blockBytes > Manifest.MOST_BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "blocks of %d bytes: give a multiple of %d, up to %d"
              .formatted(blockBytes, Manifest.UNIT, Manifest.MOST_BLOCK_BYTES));
    }
  }

  /// Returns the description of a new version of the data set, still without segments.
  ///
  /// @throws MirrorException if a disk is not a folder, or two are one
  Manifest begin() throws IOException {
    List<Path> real = new ArrayList<>();
    long generation = 1;
    for (Path disk : disks) {
      Path path = realFolder(disk);
      if (real.contains(path)) {
        throw new MirrorException(
            disk + " is named twice: each disk has one copy of a segment at most");
      }
      if (path.toString().indexOf('\n') >= 0) {
        throw new MirrorException(disk + " has a line feed in its name");
      }
      real.add(path);
      Manifest before = Mirror.readQuietly(path.resolve(name + Manifest.SUFFIX));
      generation = before == null ? generation : Math.max(generation, before.generation() + 1);
    }
    byte[] id = new byte[ID_BYTES];
    new SecureRandom().nextBytes(id);
    return new Manifest(
        HexFormat.of().formatHex(id), generation, isStriped, blockBytes, copies, real, List.of());
  }

  /// Returns the one name of a disk's folder.
  ///
  /// @throws MirrorException if it is not there
  static Path realFolder(Path disk) throws IOException {
    FileHost host = FileHost.of(disk);
    if (!host.hasFolder(disk)) {
      throw new MirrorException(disk + " is not a folder: make it, or name another one");
    }
    return host.real(disk);
  }

  /// Returns the disks of a segment.
  List<Integer> disksOf(int segment) {
    List<Integer> all = new ArrayList<>();
    for (int copy = 0; copy < copies; copy++) {
      all.add((segment + copy) % disks.size());
    }
    return all;
  }

  /// Writes the manifest to all disks, when everything else is on them. Returns those that have
  /// taken it.
  ///
  /// @throws MirrorException if no disk takes it
  static List<Integer> commit(Manifest whole, String name, Consumer<String> warnings)
      throws IOException {
    byte[] bytes = whole.encode();
    IOException failure = null;
    List<Integer> written = new ArrayList<>();
    for (int number = 0; number < whole.disks().size(); number++) {
      Path disk = whole.disks().get(number);
      Path place = disk.resolve(name + Manifest.SUFFIX);
      if (!FileHost.isFolder(disk)) {
        failure = new NoSuchFileException(disk.toString());
        warnings.accept(
            disk + " is not there: mount its disk, or repair with another in its place");
        continue;
      }
      Manifest before = Mirror.readQuietly(place);
      try {
        FileHost.of(place).publish(place, bytes);
        written.add(number);
        deleteOther(whole, name, disk, before);
      } catch (IOException e) {
        failure = e;
        warnings.accept("%s could not be written: %s".formatted(place, e.getMessage()));
      }
    }
    if (written.isEmpty()) {
      throw new MirrorException(
          "no disk has taken the manifest of data set %s: %s"
              .formatted(name, failure == null ? "there is none" : failure.getMessage()),
          failure == null ? new IOException("no disks") : failure);
    }
    return written;
  }

  /// Deletes what an earlier data set of the name has on a disk whose manifest is the new one.
  private static void deleteOther(Manifest whole, String name, Path disk, @Nullable Manifest before)
      throws IOException {
    if (before != null && !before.id().equals(whole.id())) {
      for (int segment = 0; segment < before.segments().size(); segment++) {
        FileHost.of(disk).delete(Manifest.file(disk, name, before.id(), segment));
      }
    }
  }

  /// Deletes what there is of a data set that did not become whole.
  static void discard(Manifest plan, String name, int segments) throws IOException {
    IOException failure = null;
    for (Path disk : plan.disks()) {
      for (int segment = 0; segment < segments; segment++) {
        try {
          FileHost.of(disk).delete(Manifest.file(disk, name, plan.id(), segment));
        } catch (IOException e) {
          failure = e;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
