package dev.tigris.cluster.disk;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.Status;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.FileHost;
import dev.tigris.os.disk.RemoteFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The files of one other host, over its [HostDisks].
///
/// Thread rule: any thread.
final class RemoteDisks implements FileHost {
  /// The disk may take a while to have everything.
  private static final Duration DURABLE = Duration.ofSeconds(60);

  private final String host;
  private final HostDisks calls;
  private final HostDisks durable;
  private final Consumer<RemoteDisks> whenLost;

  /// @param host as paths name it
  /// @param whenLost takes this when a call says that the host is gone
  RemoteDisks(String host, HostDisks calls, Consumer<RemoteDisks> whenLost) {
    this.host = host;
    this.calls = calls;
    this.durable = Calls.within(calls, DURABLE);
    this.whenLost = whenLost;
  }

  private <T> T ask(Path path, Supplier<T> call) throws IOException {
    try {
      return call.get();
    } catch (CallException e) {
      if (e.status() == Status.UNAVAILABLE || e.status() == Status.DEADLINE_EXCEEDED) {
        whenLost.accept(this);
      }
      if (e.status() == Status.NOT_FOUND) {
        var missing = new NoSuchFileException(path.toString(), null, "no such file or directory");
        missing.initCause(e);
        throw missing;
      }
      throw new IOException("%s: %s".formatted(path, e.text()), e);
    }
  }

  private void tell(Path path, Runnable call) throws IOException {
    Path _ =
        ask(
            path,
            () -> {
              call.run();
              return path;
            });
  }

  private static String there(Path path) {
    return FileHost.there(path).toString();
  }

  @Override
  public boolean hasFolder(Path folder) throws IOException {
    return ask(folder, () -> calls.hasFolder(there(folder)));
  }

  @Override
  public boolean hasFile(Path file) throws IOException {
    return ask(file, () -> calls.hasFile(there(file)));
  }

  @Override
  public Path real(Path folder) throws IOException {
    return Path.of(host + ":" + ask(folder, () -> calls.real(there(folder))));
  }

  @Override
  public byte[] read(Path file, int most) throws IOException {
    return ask(
        file,
        () -> {
          Bytes bytes = calls.all(there(file), most);
          byte[] all = new byte[Math.toIntExact(bytes.length())];
          bytes.copyTo(0, all, 0, all.length);
          Calls.release(calls, bytes);
          return all;
        });
  }

  @Override
  public void publish(Path file, byte[] bytes) throws IOException {
    Jbuf memory = Jbuf.allocate(Math.max(1, bytes.length), "disks");
    Bytes all = memory.asBytes();
    all.copyFrom(0, bytes, 0, bytes.length);
    try {
      tell(file, () -> durable.publish(there(file), all.slice(0, bytes.length)));
    } finally {
      memory.unreference(Jbuf::free);
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    tell(from, () -> durable.rename(there(from), there(to)));
  }

  @Override
  public void syncName(Path file) throws IOException {
    tell(file, () -> durable.syncName(there(file)));
  }

  @Override
  public void delete(Path file) throws IOException {
    tell(file, () -> calls.delete(there(file)));
  }

  @Override
  public RemoteFile open(Path file, DiskFile.Mode mode) throws IOException {
    int its =
        switch (mode) {
          case READ -> HostDisks.READ;
          case WRITE -> HostDisks.WRITE;
          case MAKE -> HostDisks.MAKE;
        };
    String there = there(file);
    long number = ask(file, () -> calls.open(there, its));
    return new CalledFile(calls, there, number, mode == DiskFile.Mode.READ);
  }

  /// Ends the connection.
  void close() {
    Calls.close(calls);
  }
}
