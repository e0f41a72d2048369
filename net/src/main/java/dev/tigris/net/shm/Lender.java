package dev.tigris.net.shm;

import dev.tigris.net.provider.Region;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What this side lets the peer read. One thread.
final class Lender {
  private final UnixSocket socket;

  /// By index: the number that it has, or will have next.
  private final int[] numbers = new int[Loan.MOST];

  /// By index: how much of [Loan#MOST_BYTES] it takes; 0 where nothing is lent.
  private final long[] sizes = new long[Loan.MOST];

  private long bytes;

  Lender(UnixSocket socket) {
    this.socket = socket;
    for (int i = 0; i < Loan.MOST; i++) {
      numbers[i] = i;
    }
  }

  /// Lends the memory of a region.
  ///
  /// @return null if it cannot be lent, or there are too many: it is copied into the ring then
  @Nullable Loan lend(Region region) {
    OptionalInt file = region.isArray() ? OptionalInt.empty() : region.view().sharedFile();
    int index = free();
    if (file.isEmpty() || index < 0) {
      return null;
    }
    long size = SharedMemory.bytesOf(file.getAsInt());
    if (size <= 0 || size > Loan.MOST_BYTES - bytes) {
      return null;
    }
    Loan loan = new Loan(numbers[index]);
    try {
      socket.send(loan.packet(Loan.LENT), new OpenFile(file.getAsInt()));
    } catch (SystemException noRoom) {
      return null;
    }
    sizes[index] = size;
    bytes += size;
    return loan;
  }

  private int free() {
    for (int i = 0; i < Loan.MOST; i++) {
      if (sizes[i] == 0) {
        return i;
      }
    }
    return -1;
  }

  /// Takes a loan back: no message that lies in it is under way. Where the peer cannot be told, it
  /// stays lent until the connection ends.
  void takeBack(Loan loan) {
    try {
      socket.send(loan.packet(Loan.TAKEN_BACK), null);
    } catch (SystemException noRoom) {
      return;
    }
    int index = Loan.index(loan.number());
    numbers[index] += Loan.MOST;
    bytes -= sizes[index];
    sizes[index] = 0;
  }
}
