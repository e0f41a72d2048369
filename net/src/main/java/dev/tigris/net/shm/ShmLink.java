package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.BreakingException;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import dev.tigris.os.UnixSocket;
import java.io.UncheckedIOException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// One peer, and how the connection to it ends: a [Channel], and the socket that brought it. The
/// socket says when the peer is gone, and wakes who sleeps; messages never take it. [ShmSender] is
/// how they leave, and [ShmReceiver] how they arrive.
///
/// A peer that is gone has left its messages in the ring, and they are taken first. Where some were
/// left in place, the memory stays mapped until they are given back, even if the connection ends
/// before.
final class ShmLink extends Link {
  private final ShmPort port;
  private final UnixSocket socket;
  private final LastingMemory memory;
  private final Bell bell;
  private final String peer;
  private final Lender lender;
  private final ShmSender outgoing;
  private final ShmReceiver incoming;

  private boolean released;

  /// Whether the memory is gone too.
  private boolean unmapped;

  /// @param memory that the channel lies in: closed with the link
  ShmLink(
      ShmPort port,
      UnixSocket socket,
      LastingMemory memory,
      Channel channel,
      String peer,
      Attributes attributes,
      long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.socket = socket;
    this.memory = memory;
    this.bell = channel.bell();
    this.peer = peer;
    this.lender = new Lender(socket);
    this.outgoing = new ShmSender(port, channel.out(), sends);
    this.incoming =
        new ShmReceiver(
            port, socket, channel.in(), receives, outgoing, attributes.maximumMessageBytes());
    port.add(this);
  }

  UnixSocket socket() {
    return socket;
  }

  @Override
  public String peer() {
    return peer;
  }

  /// All memory is copied into the ring and out of it by the same loops, wherever it lies.
  @Override
  public boolean takesArrays() {
    return true;
  }

  /// Lends it, if it is shared.
  @Override
  public void register(Region region) {
    if (!released) {
      LastingMemory steady = RingCopies.memory(region);
      Loan loan = steady == null ? null : lender.lend(region);
      region.registration(loan == null || steady == null ? steady : new LentRegion(loan, steady));
    }
  }

  @Override
  public void deregister(Region region) {
    if (!released && region.registration() instanceof LentRegion(Loan loan, LastingMemory _)) {
      lender.takeBack(loan);
    }
  }

  // ---- moving

  /// Writes a short message for which there is room.
  @Override
  protected boolean sendAtOnce(Transfer message) {
    try {
      return outgoing.sendAtOnce(message);
    } catch (BreachException e) {
      return false; // nothing was changed: the doorbell looks again, and fails the link
    }
  }

  /// Hands over what is to be sent, and wakes the peer for that and for what was written before.
  /// What has arrived stays where it is until completions are taken, which is when the state may
  /// change.
  @Override
  public void ring() {
    try {
      outgoing.send();
      boolean freed = incoming.giveBack();
      if (outgoing.hasWritten() || freed) {
        wakePeer();
      }
    } catch (BreakingException e) {
      failOf(e);
    }
  }

  /// Whether [#progress] might find something to do.
  boolean mayProgress() {
    return incoming.mayHaveMore() || !sends.isEmpty();
  }

  /// Looks again and again whether something has arrived.
  ///
  /// @param looks how often at the most
  boolean seesMoreSoon(int looks) {
    return incoming.seesMoreSoon(looks);
  }

  /// Moves what can be moved.
  void progress() {
    try {
      if (!sends.isEmpty()) {
        outgoing.send();
      }
      boolean freed = incoming.take();
      if (incoming.end() != ShmReceiver.End.NOT_YET) {
        end();
      } else if (incoming.isPeerGone()) {
        endUnlessThereIsMore();
      }
      if (outgoing.hasWritten() || freed) {
        wakePeer();
      }
    } catch (BreakingException e) {
      failOf(e);
    } catch (UncheckedIOException e) { // of this side
      fail(String.valueOf(e.getMessage()), e.getCause());
    }
  }

  /// Does what makes the next message faster; returns whether there is more of that.
  boolean fetch() {
    return !released && outgoing.fetch();
  }

  /// Wakes the peer, if it sleeps: something was changed that it may sleep for.
  private void wakePeer() {
    if (!released && bell.mustWake()) {
      socket.nudge();
    }
  }

  @Override
  public boolean givenBack(Transfer left) {
    if (unmapped) {
      return false;
    }
    boolean intact = incoming.givenBack(left);
    if (released && !incoming.isRead()) {
      unmap();
    }
    return intact;
  }

  // ---- what the port calls

  /// Takes the packets that have come; returns whether there were any.
  boolean hear() {
    return !released && incoming.hear();
  }

  /// Says that this side sleeps, and names what will wake it.
  void sleep(IntConsumer files) {
    bell.sleep();
    if (!incoming.isPeerGone()) { // or else there would be no wait for others
      files.accept(socket.file().number());
    }
  }

  void awake() {
    bell.awake();
  }

  /// Whether there is something to do after all. The thread that waits need not be the link's, and
  /// may then be told so in vain.
  boolean hasWork() {
    return incoming.hasWork() || outgoing.hasWork();
  }

  // ---- the end

  private void end() {
    if (incoming.end() == ShmReceiver.End.GOODBYE) {
      release();
      ended();
    } else {
      fail("it has ended the connection while a message of it was copied");
    }
  }

  private void endUnlessThereIsMore() {
    incoming.refuseBadPacket();
    if (incoming.isWaiting()) {
      if (!sends.isEmpty()) {
        fail("it is gone, with messages to it under way");
      }
    } else if (!incoming.hasMore()) {
      fail("it is gone without a goodbye: it was killed, or has aborted");
    }
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    release();
    broken(failure(what, cause));
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (!released && inOrder) {
      outgoing.sayGoodbye(); // the end of the socket wakes the peer
    }
    release();
    unmap();
  }

  /// Closes the socket, and takes the memory off unless messages in it are still to be read. What
  /// was written to it stays for the peer.
  private void release() {
    if (!released) {
      released = true;
      outgoing.withdraw();
      port.remove(this);
      socket.close();
      if (!incoming.isRead()) {
        unmap();
      }
    }
  }

  private void unmap() {
    if (!unmapped) {
      unmapped = true;
      incoming.close(memory);
    }
  }

  @Override
  public void checkInvariants() {
    outgoing.checkInvariants();
    incoming.checkInvariants();
  }
}
