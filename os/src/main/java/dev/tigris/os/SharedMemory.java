package dev.tigris.os;

import static dev.tigris.os.SystemException.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongPredicate;

/// A file without a name that lives in memory only: for processes that map it together.
///
/// Its size is sealed, so that no process can make it shorter while another one uses it. When both
/// have mapped it, [#keep] seals it against further writing, which forbids to take pages out of it
/// and leaves the mappings as they are, and reserves its pages. From then on touching it cannot
/// fail.
///
/// The kernel frees it when no process has it open or mapped. It does not lie in `/dev/shm`, whose
/// size is without effect on it.
public final class SharedMemory implements AutoCloseable {
  private static final int SIZE_SEALS = MemoryFile.F_SEAL_SHRINK | MemoryFile.F_SEAL_GROW;

  /// With one of these, it cannot be mapped for writing.
  private static final int READ_ONLY_SEALS =
      MemoryFile.F_SEAL_WRITE | MemoryFile.F_SEAL_FUTURE_WRITE;

  /// With all of these, its pages stay, and so do the seals.
  private static final int ALL_SEALS =
      SIZE_SEALS | MemoryFile.F_SEAL_FUTURE_WRITE | MemoryFile.F_SEAL_SEAL;
  private static final int SEEK_END = 2;
  private static final int MAP_SHARED_AND_POPULATE = Mappings.MAP_SHARED | Mappings.MAP_POPULATE;

  private final OpenFile file;
  private final long bytes;
  private final boolean readOnly;

  private SharedMemory(OpenFile file, long bytes, boolean readOnly) {
    this.file = file;
    this.bytes = bytes;
    this.readOnly = readOnly;
  }

  /// Makes a file of zeros.
  ///
  /// @throws SystemException if there is no memory for it, or a limit forbids it
  public static SharedMemory create(String name, long bytes) throws SystemException {
    OpenFile file = new OpenFile(MemoryFile.create(name, bytes));
    try {
      MemoryFile.seal(file.number(), SIZE_SEALS);
    } catch (SystemException e) {
      file.close();
      throw e;
    }
    return new SharedMemory(file, bytes, false);
  }

  /// Takes a file that another process has made, and closes it unless it is as [#create] makes
  /// them: only then can no process change its size.
  ///
  /// A file that has these seals is a file in memory, since no other file can be sealed. Huge pages
  /// could run out, and the size of a file of huge pages is a multiple of theirs: so `sizes` must
  /// allow no such size. There need not be pages for all of it before [#keep].
  ///
  /// @param sizes says which sizes it may have
  /// @throws SystemException if it is anything else
  public static SharedMemory adopt(OpenFile file, LongPredicate sizes) throws SystemException {
    return adopt(file, sizes, false);
  }

  /// Takes memory that its maker alone can write to, such as that of a shared Jbuf. Other processes
  /// cannot change its size, take pages out of it or map it for writing. Closes it if it is
  /// anything else. It may have huge pages, since mapping it reserves them.
  ///
  /// @throws SystemException if it is anything else, empty, or longer than `mostBytes`
  public static SharedMemory adoptForReading(OpenFile file, long mostBytes) throws SystemException {
    return adopt(file, size -> size >= 1 && size <= mostBytes, true);
  }

  private static SharedMemory adopt(OpenFile file, LongPredicate sizes, boolean readOnly)
      throws SystemException {
    int fd = file.number();
    try {
      int seals = MemoryFile.seals(fd);
      int wanted = readOnly ? ALL_SEALS : SIZE_SEALS;
      long size = bytesOf(fd);
      if ((seals & (ALL_SEALS | READ_ONLY_SEALS)) != wanted || !sizes.test(size)) {
        throw new SystemException(
            "the shared memory has %d bytes, which it must not have, or seals %#x and not %#x"
                .formatted(size, seals, wanted));
      }
      if (readOnly) {
        MemoryFile.reserve(fd, size);
      }
      return new SharedMemory(file, size, readOnly);
    } catch (SystemException e) {
      file.close();
      throw e;
    }
  }

  /// The size of the file behind a descriptor, or an error below zero.
  public static long bytesOf(int fd) {
    return Calls.lseek(fd, SEEK_END);
  }

  /// The open file, for handing it over.
  public OpenFile file() {
    return file;
  }

  /// The size.
  public long bytes() {
    return bytes;
  }

  /// Maps all of it. It is mapped until the arena closes, and no longer.
  // SAFETY: bounds: the file has this size and keeps it, which its seals ensure; lifetime: the
  // arena takes the mapping off when it has closed, after which no access gets through; thread:
  // an arena that threads share sees to it that none of them is in an access when it closes.
  @SuppressWarnings("restricted")
  public MemorySegment map(Arena arena) throws SystemException {
    int protection = readOnly ? Mappings.PROT_READ : Mappings.PROT_READ_WRITE;
    long mappedAt = Mappings.map(0, bytes, protection, MAP_SHARED_AND_POPULATE, file.number(), 0);
    long address = check("map shared memory", mappedAt);
    MemorySegment mapped =
        MemorySegment.ofAddress(address)
            .reinterpret(bytes, arena, ended -> Mappings.unmap(ended.address(), bytes));
    return readOnly ? mapped.asReadOnly() : mapped;
  }

  /// Maps all of it, at addresses that stay mapped when the result is closed.
  public LastingMemory mapLasting() throws SystemException {
    return LastingMemory.map(file.number(), bytes, MAP_SHARED_AND_POPULATE);
  }

  /// Seals it so that no page can be taken out of it. Each process that writes to it has mapped it
  /// before.
  ///
  /// @throws SystemException if there is no memory for the pages that were taken out before, or
  ///     another process has sealed it otherwise
  public void keep() throws SystemException {
    int fd = file.number();
    if ((MemoryFile.seals(fd) & ALL_SEALS) != ALL_SEALS) {
      MemoryFile.seal(fd, MemoryFile.F_SEAL_FUTURE_WRITE | MemoryFile.F_SEAL_SEAL);
    }
    MemoryFile.reserve(fd, bytes);
  }

  /// Closes the file. Mappings stay.
  @Override
  public void close() {
    file.close();
  }
}
