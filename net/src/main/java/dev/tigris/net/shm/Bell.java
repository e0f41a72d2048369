package dev.tigris.net.shm;

import dev.tigris.os.LastingMemory;
import java.lang.invoke.VarHandle;

/// How a side says that it sleeps, and the other one finds out that it has to be woken. Each has a
/// word: 1 while its owner sleeps.
///
/// ```text
///    sleeper                                  the other one
///      own word = 1                             slot or `freed` = new       (1)
///      full fence                               full fence
///      look at the rings: nothing new?          word of the sleeper = 1 ?
///      wait for the socket                      set it to 0, and send a packet
/// ```
///
/// A sleeper that misses the change (1) has looked before it, in the one order that all
/// sequentially consistent actions have: fence of the sleeper, look, change, fence of the other
/// one. So the other one, behind its fence, sees the word; and the packet stays in the socket until
/// the sleeper has waited for it. With one fence missing, both may look before the other's store is
/// seen: RingWakeUpTest. Whoever changes the word from 1 to 0 sends the packet, so that there is
/// one for each sleep and not one for each message.
///
/// The fence comes once for all that a doorbell hands over, and costs what it takes the stores
/// before it to become visible, which whoever waits for an answer would wait for anyway.
public final class Bell {
  /// Where the two words are; each is alone on its pair of cache lines.
  public static final long BYTES = 256;

  private static final long OTHER = 128;

  private final LastingMemory words;
  private final long own;
  private final long peer;

  /// Makes the bell of one of the two sides.
  public Bell(LastingMemory words, boolean first) {
    this.words = words;
    this.own = first ? 0 : OTHER;
    this.peer = first ? OTHER : 0;
  }

  /// Says that this side sleeps, unless it now finds something to do. Any thread.
  public void sleep() {
    words.setIntRelease(own, 1);
    VarHandle.fullFence();
  }

  /// Says that it does not. Any thread.
  void awake() {
    words.setIntRelease(own, 0);
  }

  /// Whether the other side is to be woken, after something was written for it.
  public boolean mustWake() {
    VarHandle.fullFence();
    return words.getIntAcquire(peer) != 0 && words.getAndSetInt(peer, 0) != 0;
  }
}
