package dev.tigris.cluster.disk;

import dev.tigris.cluster.disk.ServedDisk.Opened;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.Retained;
import dev.tigris.message.call.Status;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The calls of [HostDisks], for the folders that a host serves. Files of other folders are
/// refused.
///
/// A file whose client is gone is closed when it was not used for some minutes, or an hour if it
/// was written.
final class Served implements HostDisks, AutoCloseable {
  private static final int MOST_FILES = 1 << 14;
  private static final long LOOK_SECONDS = 60;
  private static final long READ_SECONDS = 600;
  private static final long WRITE_SECONDS = 3600;
  private static final int MOST_READ = 64 << 20;

  /// A place on a served disk.
  private record Place(ServedDisk disk, Path path) {}

  /// An open file of a client.
  private static final class Handle {
    final ServedDisk disk;
    final Opened opened;
    final boolean isWritten;
    final long idleNanos;
    volatile long usedNanos = System.nanoTime();

    Handle(ServedDisk disk, Opened opened, boolean isWritten) {
      this.disk = disk;
      this.opened = opened;
      this.isWritten = isWritten;
      this.idleNanos = TimeUnit.SECONDS.toNanos(isWritten ? WRITE_SECONDS : READ_SECONDS);
    }
  }

  private interface Action<T> {
    T act() throws IOException;
  }

  private final List<ServedDisk> disks;
  private final String host;
  private final Map<Long, Handle> files = new ConcurrentHashMap<>();

  /// No number is given twice, by an earlier process of this host either.
  private final AtomicLong numbers = new AtomicLong(new SecureRandom().nextLong());

  private final Thread closing;

  Served(List<ServedDisk> disks, String host) {
    this.disks = List.copyOf(disks);
    this.host = host;
    this.closing = Thread.ofVirtual().name("tigris-disks-idle").start(this::closeIdle);
  }

  private void closeIdle() {
    try {
      while (true) {
        TimeUnit.SECONDS.sleep(LOOK_SECONDS);
        long now = System.nanoTime();
        for (Map.Entry<Long, Handle> each : files.entrySet()) {
          if (now - each.getValue().usedNanos > each.getValue().idleNanos) {
            close(each.getKey());
          }
        }
      }
    } catch (InterruptedException e) {
      // the server is closed
    }
  }

  /// Finds the served disk of a path.
  private Place place(String path, boolean isFolder) throws IOException {
    Path named = Path.of(path).normalize();
    Path last = named.getFileName();
    Path parent = isFolder ? named : named.getParent();
    if (!named.isAbsolute() || last == null || parent == null) {
      throw new CallException(Status.INVALID_ARGUMENT, path + " is no absolute path");
    }
    Path real = parent.toRealPath();
    ServedDisk found = null;
    for (ServedDisk disk : disks) {
      boolean isDeeper =
          found == null || disk.folder().getNameCount() > found.folder().getNameCount();
      found = real.startsWith(disk.folder()) && isDeeper ? disk : found;
    }
    Path all = isFolder ? real : real.resolve(last);
    if (found == null || (!isFolder && Files.isSymbolicLink(all))) {
      throw new CallException(
          Status.PERMISSION_DENIED,
          "%s is in no folder that %s serves: start its worker with --disks DIR"
              .formatted(path, host));
    }
    return new Place(found, all);
  }

  private static <T> T told(Action<T> action) {
    try {
      return action.act();
    } catch (NoSuchFileException e) {
      throw new CallException(Status.NOT_FOUND, "no such file or directory: " + e.getFile(), e);
    } catch (FileAlreadyExistsException e) {
      throw new CallException(Status.ALREADY_EXISTS, "it exists already: " + e.getFile(), e);
    } catch (IOException e) {
      throw new CallException(Status.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
    }
  }

  private static void done(Action<?> action) {
    Object _ = told(action);
  }

  @Override
  public boolean hasFolder(String folder) {
    return told(
        () -> {
          try {
            return Files.isDirectory(place(folder, true).path);
          } catch (NoSuchFileException e) {
            return false;
          }
        });
  }

  @Override
  public boolean hasFile(String file) {
    return told(
        () -> {
          try {
            return Files.isRegularFile(place(file, false).path);
          } catch (NoSuchFileException e) {
            return false;
          }
        });
  }

  @Override
  public String real(String folder) {
    return told(() -> place(folder, true).path.toString());
  }

  @Override
  public Bytes all(String file, int most) {
    byte[] bytes =
        told(
            () -> {
              Path path = place(file, false).path;
              return FileHost.of(path).read(path, Math.clamp(most, 0, MOST_READ));
            });
    Bytes made = Jbuf.allocate(Math.max(1, bytes.length), "disks").asBytes();
    made.copyFrom(0, bytes, 0, bytes.length);
    return made.slice(0, bytes.length);
  }

  @Override
  public void publish(String file, Bytes bytes) {
    byte[] all = new byte[Math.toIntExact(bytes.length())];
    bytes.copyTo(0, all, 0, all.length);
    done(
        () -> {
          Path path = place(file, false).path;
          FileHost.of(path).publish(path, all);
          return path;
        });
  }

  @Override
  public void rename(String from, String to) {
    done(
        () -> {
          Path path = place(from, false).path;
          FileHost.of(path).rename(path, place(to, false).path);
          return path;
        });
  }

  @Override
  public void syncName(String file) {
    done(
        () -> {
          Path path = place(file, false).path;
          FileHost.of(path).syncName(path);
          return path;
        });
  }

  @Override
  public void delete(String file) {
    done(
        () -> {
          Path path = place(file, false).path;
          FileHost.of(path).delete(path);
          return path;
        });
  }

  @Override
  public long open(String file, int mode) {
    DiskFile.Mode its =
        switch (mode) {
          case READ -> DiskFile.Mode.READ;
          case WRITE -> DiskFile.Mode.WRITE;
          case MAKE -> DiskFile.Mode.MAKE;
          default -> throw new CallException(Status.INVALID_ARGUMENT, "mode " + mode);
        };
    if (files.size() >= MOST_FILES) {
      throw new CallException(
          Status.RESOURCE_EXHAUSTED, "%d files are open at %s".formatted(files.size(), host));
    }
    return told(
        () -> {
          Place place = place(file, false);
          if (Files.exists(place.path) && !Files.isRegularFile(place.path)) {
            throw new IOException(
                file + " is no regular file"); // to open a pipe could wait for ever
          }
          Opened opened = place.disk.open(place.path, its);
          long number = numbers.incrementAndGet();
          files.put(number, new Handle(place.disk, opened, mode != READ));
          return number;
        });
  }

  private @Nullable Handle find(long number) {
    Handle its = files.get(number);
    if (its != null) {
      its.usedNanos = System.nanoTime();
    }
    return its;
  }

  private Handle need(long number) {
    Handle its = find(number);
    if (its == null) {
      throw new CallException(
          Status.FAILED_PRECONDITION, "the file was closed, since it was not used for long");
    }
    return its;
  }

  @Override
  public long size(long number) {
    Handle its = need(number);
    return told(() -> its.disk.size(its.opened));
  }

  @Override
  public void resize(long number, long bytes) {
    Handle its = need(number);
    requireWritten(its);
    done(
        () -> {
          its.disk.resize(its.opened, bytes);
          return its;
        });
  }

  @Override
  public void close(long number) {
    Handle its = files.remove(number);
    if (its != null) {
      its.disk.close(its.opened);
    }
  }

  @Override
  public CompletableFuture<Bytes> read(
      long number, long position, int bytes, long reading, double progress) {
    if (!isPosition(position) || bytes <= 0 || bytes > MOST_BYTES || Double.isNaN(progress)) {
      throw new CallException(
          Status.INVALID_ARGUMENT, "a read of %d bytes at %d".formatted(bytes, position));
    }
    Handle its = find(number);
    if (its == null) {
      Bytes reply = Jbuf.allocate(REPLY_HEADER_BYTES, "disks").asBytes();
      reply.setLong(0, -STALE);
      return CompletableFuture.completedFuture(reply);
    }
    return its.disk.read(its.opened, position, bytes, reading, progress);
  }

  @Override
  public CompletableFuture<Long> write(long number, long position, Bytes bytes) {
    if (!isPosition(position) || bytes.length() == 0 || bytes.length() > MOST_BYTES) {
      throw new CallException(
          Status.INVALID_ARGUMENT, "a write of %d bytes at %d".formatted(bytes.length(), position));
    }
    Handle its = find(number);
    if (its == null) {
      return CompletableFuture.completedFuture((long) -STALE);
    }
    requireWritten(its);
    Retained kept = Calls.current().retain();
    return its.disk.write(its.opened, position, bytes.segment(), kept::close);
  }

  @Override
  public CompletableFuture<Long> sync(long number) {
    Handle its = find(number);
    if (its == null) {
      return CompletableFuture.completedFuture((long) -STALE);
    }
    requireWritten(its);
    return its.disk.sync(its.opened);
  }

  /// No transfer from there goes beyond the largest position.
  private static boolean isPosition(long position) {
    return position >= 0 && position <= Long.MAX_VALUE - MOST_BYTES;
  }

  private static void requireWritten(Handle its) {
    if (!its.isWritten) {
      throw new CallException(
          Status.INVALID_ARGUMENT, "%s is open for reading only".formatted(its.opened.file.path()));
    }
  }

  /// Closes all files.
  @Override
  public void close() {
    closing.interrupt();
    new ArrayList<>(files.keySet()).forEach(this::close);
  }
}
