package dev.tigris.net;

import dev.tigris.memory.View;
import dev.tigris.net.provider.Region;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Memory registered with an interface, and a range of it: the simplest [Descriptor].
/// [VirtualInterface#register] makes one. A ticket is posted and waited for, and carries offset,
/// length and tag (Chang, *Safe and Explicit Memory Management*, 1999, section 3.2).
///
/// Until it is deregistered the buffer's lease is held: it cannot be freed or used as another type.
public final class Ticket extends Descriptor {
  private boolean registered = true;

  /// How many posted descriptors this ticket is a part of, and how often it is exposed.
  private int held;

  private boolean exposed;

  Ticket(VirtualInterface virtualInterface, Region region) {
    super(virtualInterface, region);
    transfer().range(0, 0, region.bytes());
  }

  /// Names the part of the memory that is posted: all of it, at first.
  ///
  /// @return this
  /// @throws IndexOutOfBoundsException if it is not inside the registered view
  /// @throws IllegalStateException if this ticket is posted
  /// @throws WrongThreadException if the calling thread does not own the interface's queue
  public Ticket range(long offsetBytes, long lengthBytes) {
    requireOwner();
    refuseWhilePosted();
    Objects.checkFromIndexSize(offsetBytes, lengthBytes, region().bytes());
    transfer().range(0, offsetBytes, lengthBytes);
    return this;
  }

  @Override
  public Ticket tag(int value) {
    super.tag(value);
    return this;
  }

  @Override
  public Ticket attach(@Nullable Object attached) {
    super.attach(attached);
    return this;
  }

  @Override
  public Ticket inPlace(boolean wanted) {
    super.inPlace(wanted);
    return this;
  }

  /// Where the range begins, in bytes from the beginning of the registered view.
  public long offset() {
    return transfer().offset(0);
  }

  /// The length of the range in bytes.
  public long length() {
    return transfer().length(0);
  }

  /// Whether it is still to be given back ([VirtualInterface#deregister]); so it is, and cannot be
  /// posted, when its interface was closed.
  public boolean isRegistered() {
    return registered;
  }

  /// The view that was registered.
  ///
  /// @throws IllegalStateException if it is an array, or no longer registered
  public View view() {
    return region().view();
  }

  Region region() {
    return transfer().region(0);
  }

  boolean isHeld() {
    return held > 0 || isPosted();
  }

  void deregistered() {
    registered = false;
  }

  void requirePostable() {
    if (!registered) {
      throw new IllegalStateException("the memory is no longer registered with this interface");
    }
    region().requireReferenced();
  }

  @Override
  void prepare() {
    requirePostable();
  }

  /// Notes that a descriptor is posted that this is a part of.
  void hold() {
    held++;
  }

  /// Notes that the peer may access it until the interface is closed.
  void expose() {
    exposed = true;
    hold();
  }

  /// Why it cannot be given back, and what to do about that.
  String whyHeld() {
    return exposed
        ? "the ticket is exposed to the peer: close the interface first"
        : "the ticket is posted: wait until the completion queue returns it";
  }

  void release() {
    held--;
  }
}
