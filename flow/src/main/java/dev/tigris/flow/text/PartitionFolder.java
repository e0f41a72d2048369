package dev.tigris.flow.text;

import dev.tigris.flow.StreamKind;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The folder that the streams of one run write files to. It is made beside its place, and is put
/// there when the flow has succeeded: so all of its files appear at once, or none.
///
/// Thread rule: any thread.
final class PartitionFolder {
  /// Each file has a buffer on the heap, of 32 KiB at most.
  private static final int MOST_FILES = 4096;

  private final Path folder;
  private final Map<String, PartitionFile> files = new HashMap<>();
  private @Nullable UnnamedOutput beside;
  private int users;
  private boolean complete = true;
  private boolean prepared;

  PartitionFolder(Path folder) {
    this.folder = folder;
  }

  /// Counts a stream. The first one makes the folder, and gets its name to claim; the others get
  /// null.
  synchronized @Nullable String open(StreamKind.Place place) throws IOException {
    if (users > 0) {
      users++;
      return null;
    }
    refuseToReplace();
    Path absolute = folder.toAbsolutePath();
    Path name = absolute.getFileName();
    if (name == null) {
      throw new IOException(folder + " does not name a folder: name one that is to be made");
    }
    String output = "folder " + realFolder(absolute).resolve(name); // before anything is made
    Path made = place.temporary(absolute);
    try {
      Files.createDirectory(made);
    } catch (NoSuchFileException e) {
      throw noFolder(absolute, e);
    }
    beside = new UnnamedOutput(made, absolute);
    users = 1; // an open that fails is not closed
    return output;
  }

  private Path realFolder(Path absolute) throws IOException {
    Path parent = absolute.resolveSibling("."); // has one, since it has a name
    try {
      return parent.toRealPath();
    } catch (NoSuchFileException e) {
      throw noFolder(absolute, e);
    }
  }

  private IOException noFolder(Path absolute, NoSuchFileException e) {
    return new IOException(
        "cannot make %s: there is no folder %s".formatted(folder, absolute.getParent()), e);
  }

  /// Files that are there already would look like a part of what is written.
  private void refuseToReplace() throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    if (!Files.isDirectory(folder)) {
      throw new IOException(folder + " is not a folder: name another one");
    }
    try (Stream<Path> inside = Files.list(folder)) {
      if (inside.findAny().isPresent()) {
        throw new IOException(folder + " is not empty: empty it, or name another one");
      }
    }
  }

  private UnnamedOutput beside() {
    UnnamedOutput made = beside;
    if (made == null) {
      throw new IllegalStateException("no stream is open");
    }
    return made;
  }

  /// Returns a file of this folder, which is made if it is new.
  ///
  /// @param name its path in the folder
  /// @param names the first row
  synchronized PartitionFile file(String name, byte[] names) throws IOException {
    PartitionFile known = files.get(name);
    if (known == null) {
      if (files.size() == MOST_FILES) {
        throw new IOException(
            "%s would have more than %d files: part the rows by a column with fewer values, or by hash with writingParts"
                .formatted(folder, MOST_FILES));
      }
      Path path = beside().temporary().resolve(name);
      Path parent = path.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      known = new PartitionFile(path, names);
      files.put(name, known);
    } else if (!known.hasNames(names)) {
      throw new TextException(
          "%s gets rows with different columns: write them to different folders".formatted(folder));
    }
    return known;
  }

  /// Brings all files to the disk.
  synchronized void prepare() throws IOException {
    if (!prepared) {
      for (PartitionFile file : files.values()) {
        file.force();
      }
      beside().prepare();
      refuseToReplace();
      prepared = true;
    }
  }

  /// Counts a stream less. The last one puts the folder in its place, or deletes it.
  synchronized void close(boolean isComplete) throws IOException {
    complete &= isComplete;
    users--;
    UnnamedOutput made = beside;
    if (users > 0 || made == null) {
      return;
    }
    beside = null;
    if (complete) {
      publish(made);
    } else {
      made.discard();
    }
  }

  private void publish(UnnamedOutput made) throws IOException {
    try {
      made.publish(true);
    } catch (IOException e) {
      throw made.isUnnamed()
          ? new IOException(
              "cannot rename to folder %s: %s. All of its files are in %s: rename that, or delete it"
                  .formatted(folder, e, made.temporary()),
              e)
          : e;
    }
  }
}
