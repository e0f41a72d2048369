package dev.tigris.sort;

import dev.tigris.flow.mirror.Mirror;
import dev.tigris.os.disk.FileHost;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// A file of records that several threads read, each its own parts: through the page cache when it
/// holds the file already, and around it otherwise, since filling the cache costs more than reading
/// the disk.
///
/// Thread rule: any thread. An interrupt during a read closes the file.
final class InputFile implements Closeable {
  private static final int PROBES = 16;
  private static final long CACHED_READ_NANOS = 40_000;

  /// The part of a Unix mode that says what a file is, and what it is for a disk.
  private static final int FILE_TYPE = 0xf000;

  private static final int BLOCK_DEVICE = 0x6000;

  private final Path path;
  private final String name;
  /// Of a file or device, what it was as it was opened; null of a mirrored data set.
  private final @Nullable BasicFileAttributes opened;
  private final long size;
  private final InputParts channels;

  /// Of a mirrored data set: which version of which one it is.
  private final @Nullable String identity;

  /// Opens the file and finds out whether it is cached.
  ///
  /// @throws SortException if it is missing, unreadable, a directory, or not a whole number of
  ///     records
  InputFile(Path path, int recordSize) throws SortException {
    this(path, path.toString(), recordSize);
  }

  /// Opens a copy of an input.
  ///
  /// @param name what messages call it
  InputFile(Path path, String name, int recordSize) throws SortException {
    this.path = path;
    this.name = name;
    if (Mirror.isManifest(path) || isElsewhere(path)) {
      this.opened = null;
      Mirror mirror = mirror(path);
      this.size = mirror.bytes();
      this.identity = mirror.identity();
      this.channels = parts(mirror, path, recordSize);
      return;
    }
    this.identity = null;
    BasicFileAttributes its = attributes(path);
    this.opened = its;
    FileChannel buffered = open(path, its);
    try {
      this.size = buffered.size();
      long over = size % recordSize;
      if (over != 0) {
        throw leftOver(name, size, recordSize);
      }
      if (size == 0 && buffered.read(ByteBuffer.allocate(1), 0) > 0) {
        throw new SortException(
            SortException.Kind.INPUT,
            path
                + " has data but a size of 0 bytes, as files of the kernel do: copy it to an"
                + " ordinary file first");
      }
      this.channels =
          size < AlignedBuffer.BLOCK || isCached(buffered, size)
              ? new ChannelPair(buffered, path)
              : new ChannelPair(buffered, path, StandardOpenOption.READ);
    } catch (IOException e) {
      SortException failure = SortException.reading(path, e);
      try {
        buffered.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
      throw failure;
    }
  }

  /// Returns whether a path names a data set of another host, `HOST:FOLDER/NAME`, and no file here.
  static boolean isElsewhere(Path path) {
    return FileHost.isElsewhere(path) && !Files.exists(path);
  }

  private static Mirror mirror(Path path) throws SortException {
    try {
      return Mirror.open(path);
    } catch (IOException e) {
      throw unusable(path, e);
    }
  }

  private InputParts parts(Mirror mirror, Path path, int recordSize) throws SortException {
    if (mirror.bytes() % recordSize != 0) {
      throw leftOver(name, mirror.bytes(), recordSize);
    }
    try {
      return new MirrorParts(mirror);
    } catch (IOException e) {
      throw unusable(path, e);
    }
  }

  /// An input ends within a record.
  static SortException leftOver(String name, long bytes, int recordSize) {
    return new SortException(
        SortException.Kind.INPUT,
        ("%s is not a whole number of records: its %d bytes are %d records of %d bytes, and %d"
                + " bytes are left over. Give the right record size, or complete the file. Lines of"
                + " text are sorted with --lines (LineSortJob)")
            .formatted(name, bytes, bytes / recordSize, recordSize, bytes % recordSize));
  }

  private static BasicFileAttributes attributes(Path path) throws SortException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException e) {
      throw unusable(path, e);
    }
  }

  private static FileChannel open(Path path, BasicFileAttributes attributes) throws SortException {
    try {
      if (attributes.isDirectory()) {
        throw new SortException(
            SortException.Kind.INPUT, path + " is a directory: name the files in it");
      }
      if (attributes.isOther() && !isBlockDevice(path)) {
        // Its size would be 0, and so would be the number of records that were sorted or checked.
        throw new SortException(
            SortException.Kind.INPUT,
            path + " has become a pipe or a device: try again when no program changes it");
      }
      return FileChannel.open(path, StandardOpenOption.READ);
    } catch (IOException e) {
      throw unusable(path, e);
    }
  }

  /// Explains why a file that the user named cannot be opened or read.
  static SortException unusable(Path path, IOException failure) {
    return switch (failure) {
      case SortException e -> e;
      case NoSuchFileException e ->
          new SortException(
              SortException.Kind.INPUT, path + " does not exist: check the name of the input", e);
      case AccessDeniedException e ->
          new SortException(
              SortException.Kind.INPUT,
              path + " cannot be read: its permissions, or those of its folder, forbid it",
              e);
      default -> {
        String reason = reason(failure);
        boolean isLimit = reason.contains("Too many open files");
        String advice =
            isLimit
                ? ". Allow more (ulimit -n), or put the records into fewer files"
                : reason.contains("symbolic link") ? ". Name the file itself" : "";
        yield new SortException(
            isLimit ? SortException.Kind.IO : SortException.Kind.INPUT,
            "%s cannot be opened: %s%s".formatted(path, reason, advice),
            failure);
      }
    };
  }

  /// Returns the reason of a failure, without the path where the exception names that apart.
  private static String reason(IOException e) {
    String reason = e instanceof FileSystemException failure ? failure.getReason() : null;
    return reason == null ? String.valueOf(e.getMessage()) : reason;
  }

  /// Returns whether it is a device that is read at any place, as a file is.
  static boolean isBlockDevice(Path path) {
    try {
      return path.getFileSystem().supportedFileAttributeViews().contains("unix")
          && Files.getAttribute(path, "unix:mode") instanceof Integer mode
          && (mode & FILE_TYPE) == BLOCK_DEVICE;
    } catch (IOException e) {
      return false; // opening it says why
    }
  }

  /// Reads a byte somewhere in each sixteenth: a disk takes longer to answer than memory, whatever
  /// the disk. Never at the same places: what was read stays in the cache, and the third or fourth
  /// job with the same file would take it for cached as a whole.
  private static boolean isCached(FileChannel file, long size) throws IOException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    ByteBuffer single = ByteBuffer.allocateDirect(1);
    int slow = 0;
    for (int i = 0; i < PROBES && slow <= PROBES / 4; i++) {
      long position = (long) (size * ((i + random.nextDouble()) / PROBES));
      long started = System.nanoTime();
      file.read(single.clear(), position);
      if (System.nanoTime() - started > CACHED_READ_NANOS) {
        slow++;
      }
    }
    return slow <= PROBES / 4;
  }

  /// Returns where it lies.
  Path path() {
    return path;
  }

  /// Returns what messages call it.
  String name() {
    return name;
  }

  /// Returns what tells whether another process has opened the same: its size and time. A device
  /// has no time.
  String state() {
    if (identity != null) {
      return identity;
    }
    return opened != null && opened.isRegularFile()
        ? size + " " + opened.lastModifiedTime()
        : String.valueOf(size);
  }

  /// Returns the file's size in bytes as it was opened.
  long size() {
    return size;
  }

  /// Returns whether reads wait for a disk, so that more threads than processors are worth having.
  boolean waitsForDisk() {
    return channels.isDirect();
  }

  /// Reads the bytes from `from` to `to`, and returns where in the buffer they begin. The buffer
  /// must have room for them.
  ///
  /// @throws SortException if the file has become shorter
  long read(AlignedBuffer buffer, long from, long to) throws SortException {
    long lead = from % AlignedBuffer.BLOCK;
    try {
      if (!channels.read(buffer, lead, lead + to - from, from - lead)) {
        throw new SortException(
            SortException.Kind.DATA,
            "%s was cut short while it was read, from %3$d bytes to less than %2$d: try again when no program writes to it"
                .formatted(name, to, size));
      }
      return lead;
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
  }

  /// Refuses a file that was written to while it was read; called when all was read. The data read
  /// is then neither the old nor the new. A file that has taken its name since does not matter, nor
  /// does what a device says of itself.
  ///
  /// @throws SortException if the file's time or size is another than when it was opened
  void requireUnchanged() throws SortException {
    BasicFileAttributes before = opened;
    if (before == null) {
      return; // each block has a checksum
    }
    BasicFileAttributes now;
    try {
      now = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException e) {
      return; // it has lost its name
    }
    if (before.isRegularFile()
        && Objects.equals(now.fileKey(), before.fileKey())
        && !(now.lastModifiedTime().equals(before.lastModifiedTime()) && now.size() == size)) {
      throw changed();
    }
  }

  /// Closes files, also after one that fails.
  static void closeAll(List<InputFile> files) throws SortException {
    SortException failure = null;
    for (InputFile file : files) {
      try {
        file.close();
      } catch (SortException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /// Makes the exception for a file that was written to.
  SortException changed() {
    return new SortException(
        SortException.Kind.DATA,
        name + " was written to while it was read: try again when no program writes to it");
  }

  /// Of CSV, the last row has a quote that nothing ends.
  SortException endsInQuotes() {
    return endsInQuotes(name);
  }

  /// As the other method, for an input by its name.
  static SortException endsInQuotes(String name) {
    return new SortException(
        SortException.Kind.INPUT,
        "%s ends inside of quotes: a row of it has an odd number of them, and all that follows counts as one field"
            .formatted(name));
  }

  /// A line of the file is longer than can be sorted.
  ///
  /// @param at a byte in it
  SortException tooLong(long at, int mostBytes) {
    return new SortException(
        SortException.Kind.MEMORY,
        ("%s has a line of more than %d bytes around byte %d. Give more memory (--memory) and Java"
                + " a larger heap (-Xmx), or use fewer processors (--parallel): a line may have"
                + " 1/16 of the memory of each, and 1/32 of the heap")
            .formatted(name, mostBytes, at));
  }

  @Override
  public void close() throws SortException {
    try {
      channels.close();
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
  }
}
