package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Results;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Makes the folder for the parts on the host of a process, when all hosts have told of their
/// inputs, and says whether it was missing. If the sort fails, such a folder is deleted again.
final class HostFolder implements Module {
  /// The result that says in how many of its processes a host has made the folder.
  static final String MADE = "made.";

  private final HostShare share;
  private final Path folder;
  private @Nullable ModuleContext context;

  HostFolder(HostShare share, Path folder) {
    this.share = share;
    this.folder = folder;
  }

  @Override
  public void init(ModuleContext given) {
    context = given;
  }

  @Override
  public void process(Water in, Stream out) {
    throw new IllegalStateException("the survey sends nothing: its end is what counts");
  }

  @Override
  public void finish(Stream out) throws SortException {
    ModuleContext known = context;
    if (known == null) {
      throw new IllegalStateException("init comes first");
    }
    int process = known.replica();
    if (share.place(process) > 0 || Files.isDirectory(folder)) {
      return;
    }
    try {
      Path _ = Files.createDirectories(folder);
    } catch (IOException e) {
      throw HostTask.on(share.hosts().get(process), SortException.writing(folder, e));
    }
    known.results().add(MADE + process, 1);
  }

  /// Refuses a folder with parts of another sort: this one may have fewer.
  static void refuseParts(Path folder) throws SortException {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "part-*")) {
      for (Path part : parts) {
        throw new SortException(
            SortException.Kind.OUTPUT,
            part + " exists: delete the parts that are there, or name another folder");
      }
    } catch (NoSuchFileException e) {
      // It will be made.
    } catch (IOException e) {
      throw SortException.writing(folder, e);
    }
  }

  /// Returns the processes that have made the folder.
  static List<Integer> made(Results told, int processes) {
    List<Integer> made = new ArrayList<>();
    for (int process = 0; process < processes; process++) {
      if (told.numbers().containsKey(MADE + process)) {
        made.add(process);
      }
    }
    return made;
  }

  /// Returns where a process of the sort makes its own folder: beside the parts.
  static Path own(Path folder) {
    return folder.resolve("parts");
  }

  /// Deletes the folder if nothing lies in it but what killed processes of the sort have left.
  static void delete(Path folder) throws SortException {
    try {
      TemporaryFolder.deleteDead(own(folder));
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException e) {
      // Another program has put a file there.
    } catch (NoSuchFileException e) {
      // Another process of this host has deleted it.
    } catch (IOException e) {
      throw SortException.writing(folder, e);
    }
  }
}
