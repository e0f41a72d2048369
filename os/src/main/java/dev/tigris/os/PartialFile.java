package dev.tigris.os;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.SplittableRandom;

/// A file that is written beside its target, `.NAME.RANDOM.partial`, and gets the target's name
/// when it is complete and on the disk. A target that exists is replaced, and its permissions stay.
///
/// Thread rule: one thread.
public final class PartialFile implements AutoCloseable {
  private static final String SUFFIX = ".partial";

  /// The name begins with up to this many characters of the target's.
  private static final int MOST_CHARACTERS = 50;

  private final Path target;
  private final Path beside;
  private final FileChannel channel;
  private boolean isComplete;
  private boolean isClosed;

  /// Makes the file. A target that is a symbolic link is followed.
  ///
  /// @throws IOException also if the target is a folder, a pipe or a device
  public PartialFile(Path file) throws IOException {
    Path known = Files.isSymbolicLink(file) ? file.toRealPath() : file;
    if (Files.exists(known) && !Files.isRegularFile(known)) {
      throw new IOException(
          file + " is a folder, a pipe or a device, which a file does not replace: name a file");
    }
    Path absolute = known.toAbsolutePath();
    Path name = absolute.getFileName();
    if (name == null) {
      throw new IOException(file + " does not name a file");
    }
    this.target = absolute;
    String all = name.toString();
    boolean isLong = all.codePointCount(0, all.length()) > MOST_CHARACTERS;
    String beginning = isLong ? all.substring(0, all.offsetByCodePoints(0, MOST_CHARACTERS)) : all;
    String unique = Long.toHexString(new SplittableRandom().nextLong());
    this.beside = absolute.resolveSibling("." + beginning + "." + unique + SUFFIX);
    Set<OpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    this.channel = FileChannel.open(beside, options, FilePermissions.of(target));
    try {
      FilePermissions.copy(target, beside);
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /// Returns the name that the file has until it is complete, for other processes that write to it.
  public Path path() {
    return beside;
  }

  /// Returns where to write.
  public FileChannel channel() {
    return channel;
  }

  /// Returns the same as a stream.
  public OutputStream stream() {
    return Channels.newOutputStream(channel);
  }

  /// Gives the file its name, once its bytes are on the disk.
  public void complete() throws IOException {
    channel.force(true);
    channel.close();
    Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    isComplete = true;
  }

  /// Deletes the file unless it is complete.
  @Override
  public void close() throws IOException {
    if (!isClosed) {
      isClosed = true;
      try (FileChannel _ = channel) {
        if (!isComplete) {
          Files.deleteIfExists(beside);
        }
      }
    }
  }
}
