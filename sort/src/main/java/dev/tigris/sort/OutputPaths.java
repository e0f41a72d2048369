package dev.tigris.sort;

import dev.tigris.flow.FileStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;

/// Refuses places where a job cannot write its output.
final class OutputPaths {
  /// Linux has the mounts of this process here.
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private OutputPaths() {}

  /// Returns whether an output is there and is neither a file nor a folder.
  static boolean isSpecial(Path output) {
    return Files.exists(output) && !Files.isRegularFile(output) && !Files.isDirectory(output);
  }

  /// Returns the folder that an output is made in.
  static Path folder(Path output) {
    Path parent = output.getParent();
    return parent == null ? Path.of("") : parent;
  }

  /// Returns where an output is to be written, as [FileStream#target] says.
  ///
  /// @throws SortException where that refuses it
  static Path target(Path output) throws SortException {
    try {
      return FileStream.target(output);
    } catch (IOException e) {
      throw new SortException(SortException.Kind.OUTPUT, String.valueOf(e.getMessage()), e);
    }
  }

  /// Refuses an output that is a directory, or whose folder is missing or cannot be written; of a
  /// link, the folder that it leads to.
  static void refuseUnusable(Path output) throws SortException {
    Path folder = folder(output).toAbsolutePath();
    if (!Files.exists(folder)) {
      throw refusal("the folder %s does not exist: create it first".formatted(folder));
    }
    if (!Files.isDirectory(folder)) {
      throw refusal(
          "%s is not a folder, so %s cannot be written in it: name a folder"
              .formatted(folder, output));
    }
    if (Files.isDirectory(output)) {
      throw refusal(output + " is a directory: name a file for the output");
    }
    if (Files.exists(output) && !Files.isRegularFile(output)) {
      throw refusal(output + " is not a regular file: name a file for the output");
    }
    refuseImpossible(output);
    Path written = folder(target(output)).toAbsolutePath();
    if (!Files.isWritable(written)) {
      throw refusal(
          "the folder %s is not writable, because of its permissions or a read-only disk: change that, or write to another folder"
              .formatted(written));
    }
  }

  /// Refuses a name that no file can have here, before any work was done for it.
  private static void refuseImpossible(Path output) throws SortException {
    try {
      Files.readAttributes(output, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      // It will be made.
    } catch (IOException e) {
      throw SortException.writing(output, e);
    }
  }

  /// Refuses an output that is one of the inputs, under whatever name.
  static void refuseInput(Path output, Collection<Path> inputs) throws SortException {
    for (Path input : inputs) {
      if (isSame(input, output)) {
        throw refusal(
            "the output %s is the same file as the input %s: give it another name"
                .formatted(output, input));
      }
    }
  }

  /// Refuses an output that may not be replaced at the end: one of another user in a folder with
  /// the sticky bit, such as `/tmp`, or an immutable one; or a mount point. A trial finds the
  /// former two: a move of a folder to the output's place fails for their reason before it fails
  /// because the output is a file.
  ///
  /// @param probe where a folder can be made, on the file system of the output
  static void refuseIrreplaceable(Path output, Path probe) throws SortException {
    if (!Files.isRegularFile(output)) {
      return;
    }
    if (isMountPoint(output)) {
      throw refusal(SortException.mountPoint(output));
    }
    try {
      Files.move(Files.createDirectory(probe), output, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(output); // another process has deleted the file in between
    } catch (IOException e) {
      if (SortException.isForbidden(e)) {
        throw SortException.replacing(output, probe, e);
      }
    }
  }

  /// Returns whether something is mounted on a file, as where a container was given a single one.
  private static boolean isMountPoint(Path file) {
    try {
      // The fifth word of a line is the place, with these characters as Linux escapes them.
      String place =
          file.toRealPath()
              .toString()
              .replace("\\", "\\134")
              .replace(" ", "\\040")
              .replace("\t", "\\011")
              .replace("\n", "\\012");
      for (String line : Files.readAllLines(MOUNTS)) {
        String[] words = line.split(" ", 6);
        if (words.length == 6 && words[4].equals(place)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // the move at the end of the job fails if it is one
    }
  }

  private static boolean isSame(Path input, Path output) {
    try {
      return Files.exists(output) && Files.isSameFile(input, output);
    } catch (IOException e) {
      return false; // opening the input says what is wrong with it
    }
  }

  private static SortException refusal(String message) {
    return new SortException(SortException.Kind.OUTPUT, message);
  }

  /// Deletes what a failed job leaves. A failure to delete is dropped, because the job's own
  /// failure is more important.
  static void deleteQuietly(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      System.getLogger("dev.tigris.sort")
          .log(System.Logger.Level.DEBUG, "could not delete " + path, e);
    }
  }
}
