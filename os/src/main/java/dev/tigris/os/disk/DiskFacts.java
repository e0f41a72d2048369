package dev.tigris.os.disk;

import dev.tigris.os.DiskCalls;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.OpenFile;
import dev.tigris.os.Platform;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The abilities of the disk behind a file, a folder or a block device. Of a folder, they are those
/// of a file that is made there and deleted. Linux.
///
/// @param kind the kind of what was asked about; a folder is `OTHER`
/// @param fileSystem the name of the file system, or its number where the name is not known
/// @param bytes the size of a file or device, and of a folder what is free there
/// @param blockBytes the size of a transfer that the system prefers
/// @param memoryAlignment what addresses of direct transfers are multiples of; 0 without direct I/O
/// @param positionAlignment what positions and sizes of direct transfers are multiples of; likewise
/// @param untornBytes the largest write that a crash does not tear; 0 if the kernel promises none
/// @param sectorBytes the bytes of a sector of a device; 0 of others
/// @param cachedPages how many of its pages are cached; -1 if the kernel does not tell
/// @param sharesBlocks whether a copy may share blocks (`cp --reflink`); null if that was not tried
public record DiskFacts(
    DiskCalls.Kind kind,
    String fileSystem,
    long bytes,
    int blockBytes,
    int memoryAlignment,
    int positionAlignment,
    int untornBytes,
    int sectorBytes,
    long cachedPages,
    @Nullable Boolean sharesBlocks) {
  private static final int TRIAL_BYTES = 4096;

  /// The file systems by the number that statfs(2) returns for each.
  private static final Map<Long, String> FILE_SYSTEMS =
      Map.ofEntries(
          Map.entry(0xEF53L, "ext4"),
          Map.entry(0x58465342L, "xfs"),
          Map.entry(0x9123683EL, "btrfs"),
          Map.entry(0x01021994L, "tmpfs"),
          Map.entry(0x794C7630L, "overlayfs"),
          Map.entry(0xF2F52010L, "f2fs"),
          Map.entry(0x2FC12FC1L, "zfs"),
          Map.entry(0xCA451A4EL, "bcachefs"),
          Map.entry(0x6969L, "nfs"),
          Map.entry(0xFF534D42L, "cifs"),
          Map.entry(0x65735546L, "fuse"),
          Map.entry(0x01021997L, "9p"),
          Map.entry(0x858458F6L, "ramfs"),
          Map.entry(0x9FA0L, "proc"),
          Map.entry(0x62656572L, "sysfs"));

  /// Finds them out.
  ///
  /// @throws IOException if the path cannot be opened, or nothing can be made in the folder
  /// @throws UnsupportedOperationException on other systems than Linux
  public static DiskFacts of(Path path) throws IOException {
    Platform.requireLinux("asking about a disk");
    return Files.isDirectory(path) ? ofFolder(path) : ofFile(path);
  }

  private static DiskFacts ofFolder(Path folder) throws IOException {
    Path first = Files.createTempFile(folder, ".tigris-disk", ".tmp");
    Path second = null;
    try {
      Files.write(first, new byte[TRIAL_BYTES]);
      second = Files.createTempFile(folder, ".tigris-disk", ".tmp");
      DiskFacts facts = ofFile(first);
      return new DiskFacts(
          DiskCalls.Kind.OTHER,
          facts.fileSystem,
          Files.getFileStore(folder).getUsableSpace(),
          facts.blockBytes,
          facts.memoryAlignment,
          facts.positionAlignment,
          facts.untornBytes,
          0,
          facts.cachedPages,
          shares(first, second));
    } finally {
      Files.deleteIfExists(first);
      if (second != null) {
        Files.deleteIfExists(second);
      }
    }
  }

  private static boolean shares(Path from, Path to) throws SystemException {
    try (OpenFile read = open(from, false, false);
        OpenFile written = open(to, true, false)) {
      return DiskCalls.share(read.number(), written.number());
    }
  }

  private static DiskFacts ofFile(Path path) throws IOException {
    try (OpenFile file = open(path, false, false)) {
      DiskCalls.Facts facts = DiskCalls.facts(file.number());
      if (facts.kind() != DiskCalls.Kind.REGULAR && facts.kind() != DiskCalls.Kind.BLOCK_DEVICE) {
        throw new IOException(
            path + " is neither a file nor a folder nor a block device: it has no disk");
      }
      boolean isDevice = facts.kind() == DiskCalls.Kind.BLOCK_DEVICE;
      boolean isDirect = canReadDirectly(path, facts);
      Long number = DiskCalls.fileSystem(file.number());
      long bytes = FileDescriptors.size(file.number());
      return new DiskFacts(
          facts.kind(),
          isDevice ? "none" : name(number),
          bytes,
          facts.blockBytes(),
          isDirect ? alignment(facts.directMemory()) : 0,
          isDirect ? alignment(facts.directPosition()) : 0,
          facts.untornBytes(),
          isDevice ? DiskCalls.sectorBytes(file.number()) : 0,
          DiskCalls.cachedPages(file.number(), bytes),
          null);
    }
  }

  private static boolean canReadDirectly(Path path, DiskCalls.Facts facts) throws SystemException {
    if (facts.directMemory() == 0 || facts.directPosition() == 0) {
      return false;
    }
    try (OpenFile _ = open(path, false, true)) {
      return true;
    } catch (SystemException e) {
      if (e.error() == SystemException.INVALID || e.isUnsupported()) {
        return false;
      }
      throw e;
    }
  }

  private static int alignment(int known) {
    return known > 0 ? known : DiskFile.USUAL_BLOCK_BYTES;
  }

  private static String name(@Nullable Long number) {
    if (number == null) {
      return "unknown";
    }
    String name = FILE_SYSTEMS.get(number);
    return name == null ? "%#x".formatted(number) : name;
  }

  private static OpenFile open(Path path, boolean writable, boolean direct) throws SystemException {
    return new OpenFile(DiskCalls.open(path, writable, false, direct, false));
  }

  /// Returns whether direct I/O works there.
  public boolean isDirect() {
    return positionAlignment > 0;
  }
}
