package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.os.DiskCalls;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.OpenFile;
import dev.tigris.os.Platform;
import java.io.IOException;
import java.nio.file.Path;

/// Opens a device for a [FileMapping]. It has no locks and no journal, nothing is reserved, and its
/// size may be unknown: a framebuffer says 0, and its driver refuses what it does not have.
final class DeviceOpening {
  private DeviceOpening() {}

  static FileMapping open(Path device, long position, long bytes, Pool pool) throws IOException {
    Platform.requireLinux("mapping a device");
    if (bytes <= 0) {
      throw new IllegalArgumentException(
          "%d bytes of %s: give how many are to be mapped".formatted(bytes, device));
    }
    long page = FilePages.pageBytes();
    if (position < 0 || position % page != 0) {
      throw new IllegalArgumentException(
          "position %d of %s is not a multiple of %d, the bytes of a page"
              .formatted(position, device, page));
    }
    int opened = DiskCalls.open(device, true, false, false, false);
    boolean mapped = false;
    try {
      refuseMisuse(device, opened, position, bytes);
      FileMapping mapping = FileMapping.ofDevice(device, opened, position, bytes, pool);
      mapped = true;
      return mapping;
    } finally {
      if (!mapped) {
        FileDescriptors.close(opened);
      }
    }
  }

  private static void refuseMisuse(Path device, int opened, long position, long bytes)
      throws IOException {
    DiskCalls.Kind kind = DiskCalls.facts(opened).kind();
    if (kind == DiskCalls.Kind.OTHER) {
      throw new IOException(device + " is neither a device nor a file: it cannot be mapped");
    }
    if (kind == DiskCalls.Kind.BLOCK_DEVICE) {
      // The kernel refuses a second owner: a mounted file system is one.
      new OpenFile(DiskCalls.open(device, true, false, false, true)).close();
    }
    if (kind != DiskCalls.Kind.CHARACTER_DEVICE) {
      long size = FileDescriptors.size(opened);
      if (bytes > size - position) {
        throw new IOException(
            "%s has %d bytes, and not %d from %d on".formatted(device, size, bytes, position));
      }
    }
  }
}
