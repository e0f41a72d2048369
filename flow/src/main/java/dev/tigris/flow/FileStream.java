package dev.tigris.flow;

import dev.tigris.os.FilePermissions;
import dev.tigris.os.LastingFile;
import dev.tigris.os.UnnamedOutput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A stream from or to a file (*FileStream* in Welsh and Culler, 2000, section 2.2): each water
/// read or written follows the one before it, unless [#seek] says otherwise.
///
/// ```java
/// Flow.named("copy")
///     .stage("pass", () -> (in, out) -> out.put(in))
///     .feed("pass", FileStream.reading(Path.of("in"), 512 << 10))
///     .drain("pass", FileStream.writing(Path.of("out")))
///     .build();
/// ```
///
/// A reading stream ends at the end of the file, even if the file grows meanwhile. A file that is
/// cut short while it is read fails the flow. A writing stream writes to a file beside the target,
/// which gets the target's name when the whole flow has succeeded. If the flow does not succeed,
/// nothing of it is left. If it has, and the file cannot get the name, then the data stays where it
/// is, and the failure says where.
///
/// A failed write fails the flow, even if the module catches the exception that [#put] throws. A
/// write is finished when [#put] returns, so there is always credit.
///
/// Thread rule: as for [Stream]; a file stream has a module at one end only, so all its methods are
/// for one thread.
public final class FileStream extends Stream {
  private final boolean isWriting;
  private final Path file;
  private final Path opened;
  private final FileChannel channel;

  /// The file that is written. A dropped module is interrupted, and others may write it, too.
  private final @Nullable LastingFile written;

  private final BufferSpring spring;
  private final long endPosition;
  private final int waterBytes;
  private final boolean sync;

  /// Decides when a file that is written gets its name; null if the flow does.
  private final @Nullable OutputOwner owner;
  private long position;
  private long knownBytes;
  private boolean atEnd;
  private boolean prepared;

  /// The failure of a write, which fails the flow even if the module catches it.
  private @Nullable IOException broken;

  private boolean closed;

  /// Room for the one byte that tells whether the file goes on.
  private final ByteBuffer another = ByteBuffer.allocate(1);

  FileStream(StreamKind.Place place, FileKind kind) throws IOException {
    super(place.name(), place.window());
    isWriting = kind.isWriting();
    endPosition = kind.endPosition();
    waterBytes = kind.waterBytes();
    owner = place.owner();
    sync = kind.sync() || owner != null;
    position = kind.position();
    spring = new BufferSpring(place.name());
    Path named = kind.file();
    if (!isWriting) {
      SpecialFiles.refuseToRead(named);
      file = named;
      opened = named;
      channel = FileChannel.open(named, StandardOpenOption.READ);
      written = null;
    } else {
      SpecialFiles.refuseToReplace(named); // first: a link to an open pipe has no path of its own
      Path absolute = target(named).toAbsolutePath();
      Path folder = absolute.getParent();
      Path name = absolute.getFileName();
      if (folder == null || name == null) {
        throw new IOException(named + " does not name a file");
      }
      file = folder.toRealPath().resolve(name);
      opened = place.temporary(file);
      channel = create(opened, file);
      written = lasting(opened, channel);
    }
  }

  private static LastingFile lasting(Path path, FileChannel made) throws IOException {
    try {
      return new LastingFile(path, made, StandardOpenOption.WRITE);
    } catch (Throwable e) {
      made.close();
      Files.delete(path);
      throw e;
    }
  }

  /// Makes the file beside the target. If a target exists, the new file never has wider permissions
  /// than it.
  private static FileChannel create(Path beside, Path target) throws IOException {
    Set<OpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    FileChannel made = FileChannel.open(beside, options, FilePermissions.of(target));
    try {
      FilePermissions.copy(target, beside);
      return made;
    } catch (Throwable e) {
      made.close();
      Files.delete(beside);
      throw e;
    }
  }

  /// Returns a kind that reads a file from its beginning to its end, in waters of `waterBytes`
  /// bytes; the last may be shorter. A pipe is refused.
  ///
  /// @throws IllegalArgumentException if `waterBytes` is not positive, or more than a water has
  ///     room for
  public static StreamKind reading(Path file, int waterBytes) {
    return reading(file, 0, Long.MAX_VALUE, waterBytes);
  }

  /// Returns a kind that reads a part of a file: up to `bytes` bytes from `position` on.
  ///
  /// @throws IllegalArgumentException if `position` or `bytes` is negative, or `waterBytes` is not
  ///     positive, or more than a water has room for
  public static StreamKind reading(Path file, long position, long bytes, int waterBytes) {
    return FileKind.reading(file, position, bytes, waterBytes);
  }

  /// Returns a kind that writes a file, whose data is on the disk before it gets its name. An
  /// existing file is replaced, and its permissions stay. A folder, a pipe and a device are
  /// refused, as is what [#target] refuses.
  public static StreamKind writing(Path file) {
    return writing(file, true);
  }

  /// Returns a kind that writes a file, on the disk before it gets its name if `sync` is true.
  public static StreamKind writing(Path file, boolean sync) {
    return FileKind.writing(file, sync);
  }

  /// Returns the file that is replaced when a file of this name is written: the target of a
  /// symbolic link, which stays, so that a name such as `/dev/stdout` is never replaced itself.
  ///
  /// @throws IOException if the link leads nowhere; or if it is a name for an open file of a
  ///     process, as `/dev/stdout` is, and that file is not empty or is open for appending (`>>
  ///     log`), since its contents have to stay
  public static Path target(Path file) throws IOException {
    return SpecialFiles.target(file);
  }

  /// Returns the file that is read or written.
  public Path file() {
    return file;
  }

  /// Returns where the next water will be read or written, in bytes from the beginning of the file.
  public long position() {
    return position;
  }

  /// Sets where the next water is read or written, in bytes from the beginning of the file. A
  /// stream that reads a part of a file may seek outside of the part, and still ends where the part
  /// ends. A stream at its end goes on if the new position is before the end, as long as its reader
  /// has not been told of the end.
  ///
  /// @throws IllegalArgumentException if `newPosition` is negative
  public void seek(long newPosition) {
    if (newPosition < 0) {
      throw new IllegalArgumentException(
          "cannot seek to " + newPosition + " in " + file + ": a position is 0 or more");
    }
    position = newPosition;
    atEnd = false;
  }

  /// Only what the one of two streams wrote that gets the name last would be left.
  @Override
  protected @Nullable String output() {
    return isWriting ? "file " + file : null;
  }

  @Override
  public Spring spring() {
    return spring;
  }

  @Override
  public int outstanding() {
    return 0;
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    LastingFile to = written;
    if (to == null) {
      throw new IllegalStateException("put on stream %s, which reads %s".formatted(name(), file));
    }
    ByteBuffer buffer = water.channelBuffer(water.size());
    try (FileTime _ = FileTime.begin()) {
      while (buffer.hasRemaining()) {
        position += to.write(buffer, position);
      }
    } catch (IOException e) {
      broken = e;
      throw failedThere("write", e);
    }
    countFinished();
    water.returnHome();
  }

  @Override
  protected void sendEnd() {}

  @Override
  public boolean isReady() {
    return !isDrained();
  }

  /// Returns whether the end of the file, or of the part, was reached.
  @Override
  public boolean isDrained() {
    if (isWriting || isStopped()) {
      return true;
    }
    if (!atEnd && position >= Math.min(endPosition, knownBytes)) {
      try (FileTime _ = FileTime.begin()) {
        knownBytes = channel.size();
        // Some files have more than they say: those in /proc say 0.
        atEnd =
            position >= endPosition
                || (position >= knownBytes && channel.read(another.clear(), position) < 0);
      } catch (IOException e) {
        throw failedThere("read", e);
      }
    }
    return atEnd;
  }

  @Override
  protected @Nullable Water receive() {
    if (isDrained()) {
      return null;
    }
    int wanted = (int) Math.min(waterBytes, endPosition - position);
    Water water = spring.createWater(wanted);
    ByteBuffer buffer = water.channelBuffer(wanted);
    try (FileTime _ = FileTime.begin()) {
      while (buffer.hasRemaining()) {
        int read = channel.read(buffer, position);
        if (read < 0) {
          refuseCut();
          atEnd = true;
          break;
        }
        position += read;
      }
    } catch (IOException e) {
      spring.takeBack(water);
      throw failedThere("read", e);
    }
    if (buffer.position() == 0) {
      spring.takeBack(water);
      return null;
    }
    water.filled(buffer.position());
    countReceived(water.size());
    return water;
  }

  /// Refuses a file that ends before the size it had: some of its data is missing. Files in `/sys`
  /// have less than the page they claim, and are not refused.
  private void refuseCut() throws IOException {
    if (position < knownBytes && channel.size() < knownBytes) {
      throw new IOException(
          "the file was cut short while it was read: it had %d bytes and now ends after %d"
              .formatted(knownBytes, position));
    }
  }

  @Override
  protected void release(Water water) {
    spring.takeBack(water);
  }

  @Override
  protected void leave(Water water) {}

  @Override
  protected void prepare() {
    LastingFile to = written;
    if (to != null && !prepared) {
      if (broken != null) {
        throw failed("write", broken);
      }
      try {
        if (sync) {
          to.force();
        }
        if (owner != null) {
          unnamed().prepare();
        }
      } catch (IOException e) {
        throw failed("write", e);
      }
      try {
        SpecialFiles.refuseToReplace(file);
      } catch (IOException e) {
        throw failed("rename to", e);
      }
      prepared = true;
    }
  }

  @Override
  protected void dispose(boolean complete) {
    if (closed) {
      return;
    }
    closed = true;
    spring.close();
    try (Closeable _ = written == null ? channel : written) {
      if (complete) {
        prepare();
      }
    } catch (IOException e) {
      discard();
      throw failed("write", e);
    } catch (StreamException e) {
      discard();
      throw e;
    }
    if (isWriting) {
      if (complete) {
        publish();
      } else {
        discard();
      }
    }
  }

  private void publish() {
    try {
      unnamed().publish(sync);
    } catch (NoSuchFileException e) {
      throw failed("rename to", e); // its data was deleted meanwhile
    } catch (IOException e) {
      throw unnamed().isUnnamed() ? kept(e) : failed("sync the name of", e);
    }
  }

  private UnnamedOutput unnamed() {
    return new UnnamedOutput(opened, file);
  }

  private StreamException kept(IOException cause) {
    return new StreamException(
        "stream %s: cannot rename to file %s: %s. All of its data is in %s: rename that, or delete it"
            .formatted(name(), file, cause, opened),
        cause);
  }

  private void discard() {
    try {
      Files.deleteIfExists(opened);
    } catch (IOException e) {
      throw failed("delete the partial", e);
    }
  }

  private StreamException failedThere(String verb, IOException cause) {
    return new StreamException(
        "stream %s: cannot %s file %s at %d: %s".formatted(name(), verb, file, position, cause),
        cause);
  }

  private StreamException failed(String verb, IOException cause) {
    return new StreamException(
        "stream %s: cannot %s file %s: %s".formatted(name(), verb, file, cause), cause);
  }
}
