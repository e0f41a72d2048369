package dev.tigris.os.disk;

import dev.tigris.os.Folders;
import dev.tigris.os.PartialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The files of this host.
final class LocalFiles implements FileHost {
  static final LocalFiles HERE = new LocalFiles();

  private LocalFiles() {}

  @Override
  public boolean hasFolder(Path folder) {
    return Files.isDirectory(folder);
  }

  @Override
  public boolean hasFile(Path file) {
    return Files.isRegularFile(file);
  }

  @Override
  public Path real(Path folder) throws IOException {
    return folder.toRealPath();
  }

  @Override
  public byte[] read(Path file, int most) throws IOException {
    if (Files.size(file) > most) {
      throw new IOException("%s has more than %,d bytes".formatted(file, most));
    }
    return Files.readAllBytes(file);
  }

  @Override
  public void publish(Path file, byte[] bytes) throws IOException {
    try (var made = new PartialFile(file)) {
      ByteBuffer left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        int _ = made.channel().write(left);
      }
      made.complete();
    }
    syncName(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Path _ =
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncName(to);
  }

  @Override
  public void syncName(Path file) throws IOException {
    boolean _ = Folders.sync(file.resolveSibling("."), file);
  }

  @Override
  public void delete(Path file) throws IOException {
    boolean _ = Files.deleteIfExists(file);
  }

  @Override
  public RemoteFile open(Path file, DiskFile.Mode mode) {
    throw new UnsupportedOperationException(file + " is a file of this host");
  }
}
