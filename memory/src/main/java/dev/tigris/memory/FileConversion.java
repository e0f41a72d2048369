package dev.tigris.memory;

import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import dev.tigris.os.FilePermissions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Maps a file of objects, after [converting][Conversion] it if its schema differs. The objects are
/// copied into a new file beside it, which replaces the old one when it is complete and on the
/// disk. A process that is killed before that leaves the old file as it was.
final class FileConversion {
  private FileConversion() {}

  /// Does what [Jbuf#map(Path, Mapping, long, Schema)] says.
  static Jbuf map(Path file, Mapping mapping, long leastBytes, Schema schema) throws IOException {
    try {
      boolean hasHeader = hasHeader(file);
      // Else the journal completes a flush first, which may change the header.
      if (!hasHeader || !Journal.mayHaveRecord(file.toRealPath())) {
        requireOpenable(file);
      }
      long atFirst = hasHeader ? 0 : leastBytes;
      return mapOpenable(file, mapping, atFirst, leastBytes, schema);
    } catch (CorruptContainerException e) {
      throw because(e, new CorruptContainerException(refusal(file, e)));
    } catch (SchemaException e) {
      throw because(e, new SchemaException(refusal(file, e)));
    } catch (InternalError e) {
      // What HotSpot makes of a page that is not there. It does not say of what.
      throw new IOException(file + " was cut short by another program while it was opened", e);
    }
  }

  private static String refusal(Path file, RuntimeException cause) {
    return file + " cannot be opened: " + cause.getMessage();
  }

  private static <E extends Exception> E because(Throwable cause, E exception) {
    exception.initCause(cause);
    return exception;
  }

  /// Refuses a file that cannot be a container, before anything changes it. A missing or empty
  /// file, or a folder, is left to [Jbuf#map] to make or refuse.
  private static void requireOpenable(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer head =
          ByteBuffer.allocate((int) Container.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      int read = 0;
      while (head.hasRemaining() && read >= 0) {
        read = channel.read(head);
      }
      Container.requireOpenable(head.flip(), channel.size());
    }
  }

  private static boolean hasHeader(Path file) throws IOException {
    return Files.isRegularFile(file) && Files.size(file) >= Container.HEADER_BYTES;
  }

  /// @param atFirst the least length of the file before it is looked at: a file that is refused
  ///     stays as it is, and a file that is converted gets its length by that
  private static Jbuf mapOpenable(
      Path file, Mapping mapping, long atFirst, long leastBytes, Schema schema) throws IOException {
    Object key = key(file);
    Jbuf jbuf = Jbuf.map(file, mapping, atFirst);
    boolean fits = false;
    try {
      Container container = jbuf.peek();
      Schema own = container.schema();
      if (own == null && container.usedBytes() > Container.HEADER_BYTES) {
        throw new SchemaException(
            "it keeps no schema: map it without one and call asContainer().declare(schema)");
      }
      if (own == null || own.equals(schema)) {
        if (atFirst == leastBytes || container.capacityBytes() >= leastBytes) {
          container.declare(schema);
          fits = true;
          return jbuf;
        }
      } else {
        Conversion conversion = Conversion.of(container, own, schema);
        if (mapping == Mapping.PRIVATE) {
          throw new SchemaException(
              conversion.explain() + ". Map it SHARED or DURABLE once to convert it");
        }
        long free = container.capacityBytes() - container.usedBytes();
        long bytes = Math.max(leastBytes, conversion.bytes() + free);
        replace(file.toRealPath(), key, mapping, conversion, bytes);
      }
    } finally {
      if (!fits) {
        jbuf.free(); // even if an Error is thrown because another process truncated the file
      }
    }
    return mapOpenable(file, mapping, leastBytes, leastBytes, schema);
  }

  /// Identifies the file that a name leads to; null if there is none, or if the system does not
  /// say.
  private static @Nullable Object key(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /// Replaces a file by a converted one, unless another process has done so: its file may have been
  /// written to since, and is mapped then. The lock of this class admits one thread of this
  /// process, and the journal one process.
  ///
  /// @param key of the file that is mapped
  private static synchronized void replace(
      Path file, @Nullable Object key, Mapping mapping, Conversion conversion, long bytes)
      throws IOException {
    // A DURABLE mapping owns it already.
    try (Journal _ = mapping == Mapping.SHARED ? Journal.own(file) : null) {
      if (!Objects.equals(key(file), key)) {
        return;
      }
      Path fresh = file.resolveSibling("." + file.getFileName() + ".converting");
      Jbuf target = make(file, fresh, conversion, bytes);
      try {
        try {
          conversion.into(target.peek());
          target.flush();
        } finally {
          target.free();
        }
        FilePermissions.copy(file, fresh);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        Journal.syncFolder(file);
      } finally {
        Files.deleteIfExists(fresh);
      }
    }
  }

  /// Makes the file that the objects are copied into.
  private static Jbuf make(Path file, Path fresh, Conversion conversion, long bytes)
      throws IOException {
    try {
      Files.deleteIfExists(fresh); // of a process that was killed
      Files.createFile(fresh, FilePermissions.of(file));
      try {
        copyNotes(file, fresh);
        return Jbuf.map(fresh, Mapping.SHARED, bytes);
      } catch (Throwable e) {
        Files.deleteIfExists(fresh);
        throw e;
      }
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      String why =
          e instanceof AccessDeniedException
              ? fresh + " cannot be written to: permission denied"
              : Objects.requireNonNullElse(e.getMessage(), e.toString());
      throw new IOException(
          "%s has to be converted into a new file beside it (%s), which cannot be made: %s"
              .formatted(file, conversion.explain(), why),
          e);
    }
  }

  /// Copies the extended attributes of users (`user.*`), except those whose names the locale cannot
  /// spell.
  private static void copyNotes(Path from, Path to) throws IOException {
    UserDefinedFileAttributeView notes = notes(from);
    UserDefinedFileAttributeView copies = notes(to);
    if (notes == null || copies == null) {
      return;
    }
    List<String> names;
    try {
      names = notes.list();
    } catch (IOException e) {
      return; // of a file system that cannot have any
    }
    for (String name : names) {
      try {
        ByteBuffer value = ByteBuffer.allocate(notes.size(name));
        notes.read(name, value);
        copies.write(name, value.flip());
      } catch (IOException e) {
        System.getLogger(Jbuf.class.getPackageName())
            .log(
                System.Logger.Level.WARNING,
                "could not copy the attribute " + name + " of " + from + " to the converted file",
                e);
      }
    }
  }

  private static @Nullable UserDefinedFileAttributeView notes(Path file) {
    return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
  }
}
