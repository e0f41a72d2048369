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
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Maps a file of objects, after [converting][Conversion] it if its schema differs. The objects are
/// copied into a new file beside it, which replaces the old one when it is complete and on the
/// disk. A process that is killed before that leaves the old file as it was.
final class FileConversion {
  private FileConversion() {}

  /// Does what [Jbuf#map(Path, Mapping, long, Schema, ConversionOption...)] says.
  static Jbuf map(
      Path file, Mapping mapping, long leastBytes, Schema schema, Set<ConversionOption> options)
      throws IOException {
    try {
      boolean hasHeader = hasHeader(file);
      // Else the journal completes a flush first, which may change the header.
      if (!hasHeader || !Journal.mayHaveRecord(file.toRealPath())) {
        requireOpenable(file);
      }
      long atFirst = hasHeader && mapping.writesToFile() ? 0 : leastBytes;
      return mapOpenable(file, mapping, atFirst, leastBytes, schema, options);
    } catch (CorruptContainerException e) {
      throw because(e, new CorruptContainerException(refusal(file, e)));
    } catch (SchemaException e) {
      throw because(e, new SchemaException(refusal(file, e)));
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
      Path file,
      Mapping mapping,
      long atFirst,
      long leastBytes,
      Schema schema,
      Set<ConversionOption> options)
      throws IOException {
    Object key = key(file);
    Jbuf jbuf = Jbuf.mapOnce(file, mapping, atFirst);
    boolean fits = false;
    try {
      Container container = jbuf.peek();
      Schema own = container.schema();
      if (own == null && container.usedBytes() > Container.HEADER_BYTES) {
        throw new SchemaException(
            "it keeps no schema: map it without one and call asContainer().declare(schema)");
      }
      if (own == null || own.equals(schema)) {
        boolean isLongEnough = !mapping.writesToFile() || container.capacityBytes() >= leastBytes;
        if (atFirst == leastBytes || isLongEnough) {
          container.declare(schema);
          fits = true;
          return jbuf;
        }
      } else {
        Conversion conversion = Conversion.of(container, own, schema);
        requireAllowed(conversion, mapping, options);
        long free = container.capacityBytes() - container.usedBytes();
        long bytes = Math.max(leastBytes, conversion.bytes() + free);
        replace(file.toRealPath(), key, mapping, conversion, bytes, options);
      }
    } catch (InternalError e) {
      // What HotSpot makes of a page that is not there.
      FileMapping mapped = jbuf.mappedFile();
      if (mapped == null) {
        throw e;
      }
      throw new IOException("while it was opened, " + mapped.explainFault(), e);
    } finally {
      if (!fits) {
        jbuf.free(); // even if an Error is thrown because another process truncated the file
      }
    }
    return mapOpenable(file, mapping, leastBytes, leastBytes, schema, options);
  }

  /// Refuses a conversion that the caller has not asked for.
  private static void requireAllowed(
      Conversion conversion, Mapping mapping, Set<ConversionOption> options) {
    if (!mapping.writesToFile()) {
      throw new SchemaException(
          conversion.explain() + ". Map it SHARED or DURABLE once to convert it");
    }
    List<String> losses = conversion.losses();
    if (!losses.isEmpty() && !options.contains(ConversionOption.ALLOW_LOSS)) {
      throw new SchemaException(
          "this program's classes have no place for %s, and converting the file would delete that. If the file is of a newer version, open it with that one; ConversionOption.ALLOW_LOSS allows the loss"
              .formatted(String.join(", ", losses)));
    }
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
      Path file,
      @Nullable Object key,
      Mapping mapping,
      Conversion conversion,
      long bytes,
      Set<ConversionOption> options)
      throws IOException {
    // A DURABLE mapping owns it already.
    try (Journal _ = mapping == Mapping.SHARED ? Journal.own(file) : null) {
      if (!Objects.equals(key(file), key)) {
        return;
      }
      Path fresh = file.resolveSibling("." + file.getFileName() + ".converting");
      Jbuf target = make(file, fresh, conversion, bytes);
      Path kept = null;
      try {
        try {
          conversion.into(target.peek());
          target.flush();
        } finally {
          target.free();
        }
        FilePermissions.copy(file, fresh);
        Journal.syncFolder(fresh); // a disk that fails is found before anything is replaced
        kept = options.contains(ConversionOption.KEEP_OLD_FILE) ? keep(file, conversion) : null;
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
      report(file, conversion, kept);
      syncReplaced(file);
    }
  }

  private static void report(Path file, Conversion conversion, @Nullable Path kept) {
    System.getLogger(Jbuf.class.getPackageName())
        .log(
            System.Logger.Level.INFO,
            "converted {0} to this program''s schema: {1}{2}",
            file,
            conversion.explain(),
            kept == null ? "" : ". The old file is " + kept);
  }

  private static void syncReplaced(Path file) throws IOException {
    try {
      Journal.syncFolder(file);
    } catch (IOException e) {
      throw new IOException(
          "%s was converted, but its folder could not be written to the disk (%s). After a crash of the machine the old file may be there again"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /// Gives the old file another name beside its own, under which it stays. Where the file system
  /// has no second names, it is copied.
  private static Path keep(Path file, Conversion conversion) throws IOException {
    String name = "%s.old-%016x".formatted(file.getFileName(), conversion.oldFingerprint());
    for (int number = 1; ; number++) {
      Path kept = file.resolveSibling(number == 1 ? name : name + "-" + number);
      try {
        return Files.createLink(kept, file);
      } catch (FileAlreadyExistsException e) {
        if (Files.isSameFile(kept, file)) {
          return kept; // of a process that was killed before it replaced the file
        }
      } catch (UnsupportedOperationException | IOException e) {
        if (!Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
          return copy(file, kept);
        }
      }
    }
  }

  private static Path copy(Path file, Path kept) throws IOException {
    try {
      Files.copy(file, kept, StandardCopyOption.COPY_ATTRIBUTES);
      try (FileChannel channel = FileChannel.open(kept, StandardOpenOption.READ)) {
        channel.force(true);
      }
      FilePermissions.copy(file, kept);
      return kept;
    } catch (IOException e) {
      Files.deleteIfExists(kept);
      throw new IOException(
          "the old file cannot be kept as %s, so nothing was converted: %s"
              .formatted(kept, e.getMessage()),
          e);
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
        return Jbuf.mapOnce(fresh, Mapping.SHARED, bytes);
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
