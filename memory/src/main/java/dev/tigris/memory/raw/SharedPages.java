package dev.tigris.memory.raw;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.MemoryFile;
import dev.tigris.os.Platform;
import dev.tigris.os.ScarceException;
import java.io.IOException;

/// Memory that other processes may be given to read: a file without a name that lives in memory
/// only, laid over a range of the pool. Linux.
///
/// Its pages are reserved, so that none can be missing when it is touched; its size is sealed, and
/// so is writing: what was mapped before, which is this, may be written to, and no mapping and no
/// file that is made of it afterwards. So whoever gets the descriptor can read, and nothing else.
public final class SharedPages {
  private final Pool pool;
  private final int descriptor;
  private final long address;
  private final long bytes;

  private SharedPages(Pool pool, int descriptor, long address, long bytes) {
    this.pool = pool;
    this.descriptor = descriptor;
    this.address = address;
    this.bytes = bytes;
  }

  /// Returns how many bytes a request really takes, in whole pages. A request that is too large to
  /// be rounded gives more pages than are ever granted.
  public static long roundedBytes(long bytes) {
    long page = FilePages.pageBytes();
    return bytes > Long.MAX_VALUE - page ? Long.MAX_VALUE & -page : (bytes + page - 1) & -page;
  }

  /// Makes some of zeros.
  ///
  /// @throws ScarceException if the system has no memory, addresses or files for it at the moment
  /// @throws IOException if it refuses for good
  /// @throws UnsupportedOperationException on other systems than Linux
  public static SharedPages create(Pool pool, long bytes) throws IOException {
    Platform.requireLinux("shared memory");
    long size = roundedBytes(bytes);
    int descriptor = MemoryFile.create("tigris-shared", size);
    try {
      FilePages.tryToMap(descriptor, size, true);
      long address = pool.takeUnits(size);
      if (address == 0) {
        throw new ScarceException(
            "no addresses are left: free some Jbufs, or allow more (ulimit -v)");
      }
      SharedPages made = new SharedPages(pool, descriptor, address, size);
      try {
        FilePages.map(descriptor, address, size, true);
      } catch (Throwable e) {
        pool.forgetUnits(size);
        throw e;
      }
      try {
        MemoryFile.sealForReaders(descriptor);
      } catch (Throwable e) {
        made.takeOff();
        throw e;
      }
      return made;
    } catch (Throwable e) { // whatever it is, nobody else could close it
      FileDescriptors.close(descriptor);
      throw e;
    }
  }

  /// Where it lies.
  public long address() {
    return address;
  }

  /// The file: as long as this is not closed.
  public int descriptor() {
    return descriptor;
  }

  /// Takes the memory off its range, which reads as zeros then. It is freed when the last process
  /// that was given it has done the same.
  public void close() {
    takeOff();
    FileDescriptors.close(descriptor);
  }

  private void takeOff() {
    try {
      FilePages.unmap(address, Pool.unitBytes(bytes));
      pool.giveUnits(address, bytes, true);
    } catch (IOException e) {
      // The kernel's table of mappings is full: the range stays what it is, and nobody else's.
      pool.forgetUnits(bytes);
    }
  }
}
