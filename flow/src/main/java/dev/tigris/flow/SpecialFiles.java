package dev.tigris.flow;

import dev.tigris.os.NamedPipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Refuses files that cannot be read or replaced as ordinary ones: folders, pipes, devices, and
/// links that lead to them or nowhere.
final class SpecialFiles {
  /// Linux's O_APPEND.
  private static final int APPEND = 0x400;

  private SpecialFiles() {}

  /// Refuses to read a pipe. Opening one waits until another process writes to it, and nothing
  /// could end that wait; and its data has no positions. Devices may have positions.
  static void refuseToRead(Path file) throws IOException {
    if (NamedPipe.is(file)) {
      throw new IOException(
          file + " is a pipe, which has no positions to read at: copy its data into a file first");
    }
  }

  /// Refuses to replace a folder, a pipe or a device.
  static void refuseToReplace(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a folder, which a file does not replace: name a file");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(
          file + " is a pipe or a device, which a file does not replace: name another file");
    }
  }

  /// Returns what [FileStream#target] says.
  static Path target(Path file) throws IOException {
    if (!Files.isSymbolicLink(file)) {
      return file;
    }
    Path target;
    try {
      target = file.toRealPath();
    } catch (NoSuchFileException e) {
      throw new IOException(
          file + " is a symbolic link that leads nowhere: name the file itself", e);
    } catch (IOException e) {
      throw new IOException(
          "%s is a symbolic link that cannot be followed (%s): name the file itself"
              .formatted(file, e),
          e);
    }
    Path descriptor = Files.isRegularFile(target) ? descriptor(file) : null;
    if (descriptor == null) {
      return target;
    }
    boolean isEmpty = Files.size(target) == 0;
    if (!isEmpty || isAppending(descriptor)) {
      throw new IOException(
          "%s leads to %s, which would be replaced and %s: to replace it, give its own name"
              .formatted(file, target, isEmpty ? "is open for appending (>>)" : "is not empty"));
    }
    return target;
  }

  /// Returns the link that Linux has in place of a process's open file, if links lead through one.
  private static @Nullable Path descriptor(Path file) throws IOException {
    Path link = file.toAbsolutePath();
    while (Files.isSymbolicLink(link)) {
      Path folder = Objects.requireNonNull(link.getParent()).toRealPath();
      if (folder.startsWith("/proc") && folder.endsWith("fd")) {
        return folder.resolve(link.getFileName());
      }
      link = folder.resolve(Files.readSymbolicLink(link));
    }
    return null;
  }

  /// Returns whether what is written to an open file goes to its end, wherever that is by then.
  private static boolean isAppending(Path descriptor) throws IOException {
    Path flags = descriptor.resolveSibling("../fdinfo").resolve(descriptor.getFileName());
    if (!Files.isReadable(flags)) {
      return false;
    }
    String known = "flags:";
    return Files.readAllLines(flags).stream()
        .filter(line -> line.startsWith(known))
        .anyMatch(
            line -> (Long.parseLong(line.substring(known.length()).strip(), 8) & APPEND) != 0);
  }
}
