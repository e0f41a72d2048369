package dev.tigris.net;

import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A message to be sent, or memory for one: what is posted to a [VirtualInterface] and comes back
/// from its [CompletionQueue]. [Status] shows its states. It is used again and again: posting
/// allocates nothing.
///
/// A [Ticket] is the descriptor of one range of registered memory. A descriptor of several gathers
/// a message from them, or scatters one over them:
///
/// ```java
/// Descriptor both = Descriptor.of(header, body);
/// ```
public sealed class Descriptor permits Ticket {
  private final VirtualInterface virtualInterface;
  private final Ticket[] parts;
  private final Transfer transfer;
  private boolean posted;
  private @Nullable Object attachment;

  /// The provider's half.
  private static final class Own extends Transfer {
    private final Descriptor descriptor;
    private final CompletionQueue queue;

    Own(Descriptor descriptor, Region... regions) {
      super(regions);
      this.descriptor = descriptor;
      this.queue = descriptor.virtualInterface.completionQueue();
    }

    @Override
    protected void completed() {
      queue.completed(descriptor);
    }
  }

  private Descriptor(VirtualInterface virtualInterface, Ticket[] parts) {
    this.virtualInterface = virtualInterface;
    this.parts = parts;
    this.transfer = new Own(this, Arrays.stream(parts).map(Ticket::region).toArray(Region[]::new));
  }

  /// For a ticket, which is its own and only part.
  Descriptor(VirtualInterface virtualInterface, Region region) {
    this.virtualInterface = virtualInterface;
    this.parts = new Ticket[0];
    this.transfer = new Own(this, region);
  }

  /// The descriptor of the ranges that these tickets name at the time it is posted. A ticket may be
  /// a part of several descriptors, of sends that are posted together even with the same range.
  ///
  /// @throws IllegalArgumentException if there are none or more than 16, or if they belong to
  ///     several interfaces
  public static Descriptor of(Ticket... tickets) {
    Ticket[] parts = tickets.clone();
    if (parts.length < 1 || parts.length > Transfer.MAXIMUM_RANGES) {
      throw new IllegalArgumentException(
          "a descriptor has 1 to %d ranges, not %d"
              .formatted(Transfer.MAXIMUM_RANGES, parts.length));
    }
    VirtualInterface common = parts[0].virtualInterface();
    if (!Arrays.stream(parts).allMatch(part -> part.virtualInterface() == common)) {
      throw new IllegalArgumentException("the tickets belong to several interfaces");
    }
    return new Descriptor(common, parts);
  }

  /// The interface that it can be posted to.
  public final VirtualInterface virtualInterface() {
    return virtualInterface;
  }

  /// Where it is.
  public final Status status() {
    return posted ? Status.POSTED : transfer.result();
  }

  /// Whether it was last posted as a send, and not as a receive.
  public final boolean isSend() {
    return transfer.isSend();
  }

  /// How many bytes were sent, or have arrived: of a descriptor that is [Status#DONE]. They lie at
  /// the beginning of its ranges, which stay what they were.
  public final long transferredBytes() {
    return transfer.transferredBytes();
  }

  /// The tag: of a receive that is complete what the sender has given the message, otherwise what
  /// [#tag(int)] has set.
  public final int tag() {
    return transfer.tag();
  }

  /// Sets the tag that travels with the message: the application's own number, 0 at first.
  ///
  /// @return this
  /// @throws IllegalStateException if it is posted
  /// @throws WrongThreadException if the calling thread does not own the interface's queue
  public Descriptor tag(int value) {
    requireOwner();
    refuseWhilePosted();
    transfer.tag(value);
    return this;
  }

  /// Attaches an object of the application, in place of the one before: what it needs to know when
  /// the completion queue returns this descriptor. Also while this is posted.
  ///
  /// @return this
  /// @throws WrongThreadException if the calling thread does not own the interface's queue
  public Descriptor attach(@Nullable Object attached) {
    requireOwner();
    attachment = attached;
    return this;
  }

  /// The object that was attached last; null if none was.
  public final @Nullable Object attachment() {
    return attachment;
  }

  /// The type of the message. That of a complete receive is the sender's; otherwise it is the type
  /// of the memory.
  public final DataType type() {
    return transfer.type();
  }

  /// The length of its ranges: what would be sent, or fits.
  public final long bytes() {
    long sum = 0;
    for (Ticket part : parts) {
      sum += part.length();
    }
    return parts.length == 0 ? transfer.bytes() : sum;
  }

  /// Says whether a message may be left where it lies, when this is posted as a receive: in memory
  /// that it shares with its sender, where the provider has such (`shm`). Then nothing is copied,
  /// and [#memory] is where to read it, until it is given back: by [#giveBack], by posting this
  /// again, or with the interface. Where it cannot be left, it is brought to this memory as usual.
  /// As a send, this sends its own memory, where a message that was left elsewhere never was.
  ///
  /// Whoever keeps a message keeps what has arrived after it, too: once 126 messages or parts of
  /// 8 KiB have, or 256 KiB where connections are many, its sender waits.
  ///
  /// @return this
  /// @throws IllegalStateException if it is posted
  /// @throws WrongThreadException if the calling thread does not own the interface's queue
  public Descriptor inPlace(boolean wanted) {
    requireOwner();
    refuseWhilePosted();
    transfer.wantInPlace(wanted);
    return this;
  }

  /// Whether the message that has arrived was left where it lies, and not given back.
  public final boolean isInPlace() {
    return transfer.isLeft();
  }

  /// Where the message lies that has arrived, or is to be sent: this memory, or that of the
  /// sender, for reading only. It begins at [#memoryOffset].
  ///
  /// The sender of what was left in place may be a program that changes it still: so read once what
  /// decisions are made by.
  ///
  /// @throws IllegalStateException if this has several ranges, and the message is not in place; or
  ///     if the memory is no longer registered
  public final MemorySegment memory() {
    if (transfer.count() > 1 && !transfer.isLeft()) {
      throw new IllegalStateException(
          "the message lies in %d ranges: ask each ticket".formatted(transfer.count()));
    }
    return transfer.memory();
  }

  /// Where in [#memory] it begins, in bytes.
  public final long memoryOffset() {
    return transfer.memoryOffset();
  }

  /// Gives the memory back in which a message was left, if it was. The sender hears of it when this
  /// thread rings or takes completions.
  ///
  /// Memory that the sender has lent (`PageKind.SHARED`) can still be read through the segment that
  /// [#memory] has returned before, until the sender deregisters it or this interface ends: then
  /// an access throws [IllegalStateException]. So two processes can go on sharing it.
  ///
  /// @return whether what was read there was the message: false if the sender has broken the
  ///     connection off meanwhile, and may have used the memory for something else
  /// @throws IllegalStateException if it is posted
  /// @throws WrongThreadException if the calling thread does not own the interface's queue
  public final boolean giveBack() {
    requireOwner();
    refuseWhilePosted();
    return virtualInterface.giveBack(this);
  }

  final Transfer transfer() {
    return transfer;
  }

  /// What is posted must not change under way.
  final void requireOwner() {
    virtualInterface.completionQueue().requireOwner();
  }

  final void refuseWhilePosted() {
    if (posted) {
      throw new IllegalStateException(
          "the descriptor is posted: wait until the completion queue returns it");
    }
  }

  /// Before it is posted: takes the ranges over, and holds the tickets that it consists of.
  void prepare() {
    for (int i = 0; i < parts.length; i++) {
      parts[i].requirePostable();
    }
    for (int i = 0; i < parts.length; i++) {
      transfer.range(i, parts[i].offset(), parts[i].length());
      parts[i].hold();
    }
  }

  final boolean isPosted() {
    return posted;
  }

  /// Notes that it is posted, after [#prepare].
  final void posted() {
    posted = true;
  }

  final void returned() {
    for (Ticket part : parts) {
      part.release();
    }
    posted = false;
  }

  @Override
  public String toString() {
    return "%s[%s, %d bytes, tag %d]"
        .formatted(getClass().getSimpleName(), status(), bytes(), tag());
  }
}
