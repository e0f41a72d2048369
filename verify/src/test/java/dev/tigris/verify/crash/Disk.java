package dev.tigris.verify.crash;

import dev.tigris.verify.crash.CallLog.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Disks that promise no more than it must: what was written to a file is sure to be there after
/// a crash of the machine when the file was synced since, and a name when its folder was. Of the
/// rest any part may be there, in sectors.
///
/// They start empty. Files in folders that stay are all that they know. Each folder is one disk, as
/// it were: what is there of one says nothing of another.
final class Disk {
  private static final int SECTOR_BYTES = 512;

  /// How much of what was not synced is there.
  enum Rest {
    NOTHING,
    ALL,
    ANY
  }

  private static final class Inode {
    private byte[] synced = new byte[0];
    private final List<Call> later = new ArrayList<>();
  }

  /// A change of names: what `name` is from then on, or null if it is deleted.
  private record Naming(Path name, Inode inode) {}

  private final Map<Path, Inode> names = new LinkedHashMap<>();
  private final Map<Path, Inode> syncedNames = new LinkedHashMap<>();

  /// Each of these is there or not as a whole.
  private final List<List<Naming>> laterNames = new ArrayList<>();

  /// Makes a call.
  void apply(Call call) {
    switch (call.name()) {
      case "create" -> rename(List.of(new Naming(call.path(), new Inode())));
      case "delete" -> rename(List.of(new Naming(call.path(), null)));
      case "rename" ->
          rename(
              List.of(
                  new Naming(call.second(), names.get(call.path())),
                  new Naming(call.path(), null)));
      case "write", "size" -> names.get(call.path()).later.add(call);
      case "sync" -> {
        Path synced = call.path();
        Inode inode = names.get(synced);
        if (inode != null) {
          inode.synced = content(inode, Rest.ALL, new Random(0));
          inode.later.clear();
        } else { // the folder
          for (List<Naming> change : laterNames) {
            if (synced.equals(change.getFirst().name().getParent())) {
              change.forEach(naming -> put(syncedNames, naming));
            }
          }
          laterNames.removeIf(change -> synced.equals(change.getFirst().name().getParent()));
        }
      }
      default -> throw new IllegalArgumentException("not for this disk: " + call);
    }
  }

  private void rename(List<Naming> change) {
    change.forEach(naming -> put(names, naming));
    laterNames.add(change);
  }

  private static void put(Map<Path, Inode> names, Naming naming) {
    if (naming.inode() == null) {
      names.remove(naming.name());
    } else {
      names.put(naming.name(), naming.inode());
    }
  }

  /// Leaves in `folder` what there may be of the files after a crash, and nothing else.
  void crash(Path folder, Rest rest, Random random) throws IOException {
    clear(folder);
    for (Map.Entry<Path, byte[]> file : left(rest, random).entrySet()) {
      Files.write(folder.resolve(file.getKey().getFileName()), file.getValue());
    }
  }

  /// Leaves what there may be after a crash in the folders that the calls were for, and nothing
  /// else in these.
  void crash(List<Path> folders, Rest rest, Random random) throws IOException {
    for (Path folder : folders) {
      clear(folder);
    }
    for (Map.Entry<Path, byte[]> file : left(rest, random).entrySet()) {
      Files.write(file.getKey(), file.getValue());
    }
  }

  private static void clear(Path folder) throws IOException {
    try (var before = Files.list(folder)) {
      for (Path file : before.toList()) {
        Files.delete(file);
      }
    }
  }

  private Map<Path, byte[]> left(Rest rest, Random random) {
    Map<Path, Inode> left = new LinkedHashMap<>(syncedNames);
    for (List<Naming> change : laterNames) {
      if (isThere(rest, random)) {
        change.forEach(naming -> put(left, naming));
      }
    }
    Map<Path, byte[]> contents = new LinkedHashMap<>();
    left.forEach((path, inode) -> contents.put(path, content(inode, rest, random)));
    return contents;
  }

  private static boolean isThere(Rest rest, Random random) {
    return rest == Rest.ALL || (rest == Rest.ANY && random.nextBoolean());
  }

  private static byte[] content(Inode inode, Rest rest, Random random) {
    byte[] content = inode.synced.clone();
    for (Call call : inode.later) {
      if (call.name().equals("size")) {
        content = isThere(rest, random) ? Arrays.copyOf(content, (int) call.offset()) : content;
        continue;
      }
      ByteBuffer bytes = call.bytes();
      for (int from = 0; from < bytes.limit(); from += SECTOR_BYTES) {
        int to = Math.min(bytes.limit(), from + SECTOR_BYTES);
        if (isThere(rest, random)) {
          int end = (int) call.offset() + to;
          content = end > content.length ? Arrays.copyOf(content, end) : content;
          bytes.get(from, content, (int) call.offset() + from, to - from);
        }
      }
    }
    return content;
  }
}
