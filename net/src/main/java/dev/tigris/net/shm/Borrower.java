package dev.tigris.net.shm;

import dev.tigris.net.provider.BreachException;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What the peer lets this side read, mapped for reading only. One thread.
///
/// A loan of something else than sealed memory, one too many, a number that cannot be: each is a
/// breach. So whatever the peer does to its memory afterwards, the addresses stay what they are,
/// and what changes is the content of its own messages.
final class Borrower {
  private final @Nullable Borrowed[] all = new @Nullable Borrowed[Loan.MOST];
  private long bytes;

  /// By index: how many messages in it were left in place, and are read there.
  private final int[] left = new int[Loan.MOST];

  /// A loan that was mapped.
  static final class Borrowed {
    private final int number;
    private final Arena arena;
    private final MemorySegment memory;

    private Borrowed(int number, Arena arena, MemorySegment memory) {
      this.number = number;
      this.arena = arena;
      this.memory = memory;
    }

    /// Which one it is.
    int index() {
      return Loan.index(number);
    }

    /// Its memory, as long as it is not taken back.
    ///
    /// @throws BreachException if it was
    MemorySegment memory() {
      if (!memory.scope().isAlive()) {
        throw new BreachException("loan %d is taken back with a message in it".formatted(number));
      }
      return memory;
    }
  }

  /// Takes note of what a packet says about a loan.
  ///
  /// @throws BreachException if that cannot be
  /// @throws UncheckedIOException if it can, and this process has no room for it
  void hear(UnixSocket.Packet packet) {
    OpenFile file = packet.file();
    switch (Loan.what(packet)) {
      case Loan.LENT -> {
        if (file == null) {
          if (packet.lost()) {
            throw noRoom(new SystemException("take a loan", SystemException.TOO_MANY_FILES));
          }
          throw new BreachException("a loan without memory");
        }
        borrow(Loan.of(packet).number(), file);
      }
      case Loan.TAKEN_BACK -> {
        packet.refuseFile();
        giveBack(Loan.of(packet).number());
      }
      default -> packet.refuseFile(); // a nudge, though a strange one
    }
  }

  private void borrow(int number, OpenFile file) {
    Borrowed before = all[Loan.index(number)];
    if (before != null) {
      file.close();
      throw new BreachException("loan %d while there is loan %d".formatted(number, before.number));
    }
    Arena arena = Arena.ofShared();
    try (SharedMemory memory = SharedMemory.adoptForReading(file, Loan.MOST_BYTES - bytes)) {
      MemorySegment mapped = memory.map(arena);
      all[Loan.index(number)] = new Borrowed(number, arena, mapped);
      bytes += mapped.byteSize();
    } catch (SystemException e) {
      arena.close();
      throw switch (e.error()) {
        case SystemException.NO_MEMORY,
            SystemException.TOO_MANY_FILES,
            SystemException.TOO_MANY_FILES_OF_ALL ->
            noRoom(e);
        default ->
            new BreachException("loan %d cannot be mapped: %s".formatted(number, e.getMessage()));
      };
    }
  }

  private static UncheckedIOException noRoom(SystemException refusal) {
    return new UncheckedIOException(refusal.getMessage(), refusal);
  }

  private void giveBack(int number) {
    Borrowed borrowed = find(number);
    if (borrowed == null) {
      throw new BreachException("loan %d is taken back, and there is none".formatted(number));
    }
    if (left[Loan.index(number)] > 0) {
      throw new BreachException("loan %d is taken back with a message in it".formatted(number));
    }
    all[Loan.index(number)] = null;
    bytes -= borrowed.memory.byteSize();
    boolean _ = close(borrowed.arena);
  }

  /// A message in a loan was left in place: until [#release], which is called once for each.
  void leave(int index) {
    left[index]++;
  }

  void release(int index) {
    left[index]--;
  }

  /// Closes the arena of memory that the application may read. If some thread is in a call to the
  /// system with it, as of a channel, the memory stays until this process ends.
  ///
  /// @return whether no message is read there any more
  static boolean close(Arena arena) {
    try {
      arena.close();
      return true;
    } catch (IllegalStateException _) {
      return false; // nothing else can be done: what is mapped for a call must stay mapped
    }
  }

  /// The loan with a number; null if it was not heard of.
  @Nullable Borrowed find(int number) {
    Borrowed borrowed = all[Loan.index(number)];
    return borrowed == null || borrowed.number != number ? null : borrowed;
  }

  /// Takes all mappings off.
  void close() {
    for (int i = 0; i < all.length; i++) {
      Borrowed borrowed = all[i];
      if (borrowed != null) {
        all[i] = null;
        boolean _ = close(borrowed.arena);
      }
    }
  }
}
