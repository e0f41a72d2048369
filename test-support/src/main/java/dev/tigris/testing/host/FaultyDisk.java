package dev.tigris.testing.host;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A file system in user space that fails as a test says: it stands for disks and servers that a
/// test cannot have. Its files are in the memory of a process of its own. Only root may mount one,
/// on Linux: other users' tests are skipped.
///
/// Faults are words such as `read=5`: the operation, and the number of the error that it ends with.
/// They are `read`, `write`, `fsync`, `fsyncdir` and `fallocate` (which fails with EOPNOTSUPP
/// unless it is `fallocate=0`). `readfrom=4096` is where reads begin to fail, with EIO.
/// `room=65536` is how many bytes it can hold, and `direct=1` opens files such that they cannot be
/// mapped for sharing. With `slow=20` each write takes so many milliseconds. With `hold=4096`,
/// reads of files of so many bytes wait until the faults are set again.
public final class FaultyDisk implements AutoCloseable {
  private static final Path DEVICE = Path.of("/dev/fuse");

  private final Path folder;
  private final Child server;

  private FaultyDisk(Path folder, Child server) {
    this.folder = folder;
    this.server = server;
  }

  /// Mounts one in a folder below `parent`.
  public static FaultyDisk in(Path parent) throws IOException {
    return mount(parent, "");
  }

  /// Mounts one whose locks all fail with an error, those of `fcntl` and those of `flock`.
  public static FaultyDisk withoutLocks(Path parent, int error) throws IOException {
    return mount(parent, String.valueOf(error));
  }

  private static FaultyDisk mount(Path parent, String locks) throws IOException {
    Needs.root("a file system in user space");
    Needs.file(DEVICE);
    Path folder = Files.createDirectory(parent.resolve("faulty-disk"));
    // The connection is the descriptor: mount and the server inherit it as their input.
    String line =
        "exec 0<>/dev/fuse && mount -i -t fuse -o fd=0,rootmode=40777,user_id=0,group_id=0,"
            + "allow_other,default_permissions faulty \"$1\" && shift && exec \"$@\"";
    Command command =
        Jvm.of(FaultyFiles.class)
            .quick()
            .options("-Xmx256m")
            .command(locks)
            .behind(List.of("sh", "-c", line, "sh", folder.toString()));
    FaultyDisk disk = new FaultyDisk(folder, command.start());
    try {
      disk.server.expectLine(FaultyFiles.READY);
    } catch (Throwable e) {
      disk.close();
      throw e;
    }
    return disk;
  }

  /// Returns where it is mounted.
  public Path folder() {
    return folder;
  }

  /// Lets these operations fail from now on. All others work again.
  public void faults(String... faults) throws IOException {
    // Never empty: that would be a cut, and nothing would be written.
    Files.writeString(folder.resolve(FaultyFiles.CONTROL), String.join(" ", faults) + " ");
  }

  /// Waits for a read that `hold` keeps waiting.
  public void awaitHeldRead() {
    server.expectLine(FaultyFiles.HOLDS);
  }

  @Override
  public void close() {
    String _ = Command.of("umount", "--lazy", folder.toString()).run().toString();
    server.kill();
  }
}
