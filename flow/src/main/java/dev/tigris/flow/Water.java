// Over 400 lines: what modules do with a water, and what its streams and its spring note of it.
package dev.tigris.flow;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Jbuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A batch of data in a buffer outside the heap: what streams carry and modules work on (Welsh and
/// Culler, 2000, section 2.2).
///
/// The [Spring] of a stream makes a water, and the water goes back there to be used again when its
/// receiver has finished with it. The fields of the protocol lie in the same buffer, before the
/// range that a module can reach:
///
/// ```
///   0        8          16       24         32              64                  64 + capacity
///   +--------+----------+--------+----------+---------------+---------- ... ----------+
///   | source | sequence | size   | checksum | reserved, 0   | data                    |
///   +--------+----------+--------+----------+---------------+---------- ... ----------+
///   :<---------------- header, hidden ---------------------->:<------ bytes() -------->:
///
///   source    which stream of which sender: a number unique in the flow
///   sequence  how many waters that stream had carried before this one
///   size      how many bytes of data are valid
///   checksum  bits 0-31: CRC-32C of the valid data; bit 32: 1 if there is a checksum, else 0
/// ```
///
/// All are 64-bit little-endian numbers, written only in a flow with checksums. A water has one
/// buffer; the reserved bytes are for naming more.
///
/// **Whose it is.** A water belongs to the module that made it or got it, until it is put on a
/// stream, released, or, for an input water that was not [kept][#keep], until `process` returns.
/// After that the module must not use it. Where the check costs nothing, a use throws
/// [IllegalStateException]. Elsewhere a use reads or overwrites the data of a later water, but
/// never other memory. With `-Dtigris.check=leases` every such use throws
/// [RecycledException][dev.tigris.memory.RecycledException].
///
/// **Its two ends.** The sender and the receiver of a water both write to its fields. A cache line
/// that both write, or that one reads and the other writes, travels between their processors with
/// each hand-over. So a memory stream gives its receiver the water's *twin*: another Water for the
/// same buffer, made at the first hand-over. Each of the two is the other's twin: if the receiver
/// puts the water on a second stream, the first one comes out there. A module has one of the two at
/// most. Both know which of them the spring has made and takes back.
///
/// Thread rule: one thread at a time, its owner's.
public final class Water {
  /// How many bytes of a water's buffer the protocol takes: a cache line, so that data begins on
  /// one.
  public static final int HEADER_BYTES = 64;

  /// The most data: whole cache lines, whose number is an int.
  static final int MOST_BYTES = Integer.MAX_VALUE / HEADER_BYTES * HEADER_BYTES;

  private static final int SOURCE = 0;
  private static final int SEQUENCE = 8;
  private static final int SIZE = 16;
  private static final int CHECKSUM = 24;
  private static final long HAS_CHECKSUM = 1L << 32;

  // The holder; from MADE to LENT, it is a module. These are numbers, not an enum, because storing
  // a reference costs a barrier of the collector for each hand-over.

  /// In its spring, or on its way there.
  private static final int IN_SPRING = 0;

  /// A module has made it and not yet put it.
  private static final int MADE = 1;

  /// A module keeps it, with the data that came in.
  private static final int OWNED = 2;

  /// The stream that it came on lends it to a module for one call of `process`.
  private static final int LENT = 3;

  /// It is on a stream.
  private static final int ON_STREAM = 4;

  /// It is given back, but not yet in its spring: it may still lie in a stream.
  private static final int GIVEN_BACK = 5;

  private final BufferSpring home;
  private final Jbuf buffer;
  private final Bytes whole;

  /// The water that the spring has made: this one, or its twin.
  private final Water original;

  /// The other of the two; made by the first receiver.
  private @Nullable Water twin;

  private Bytes data;

  /// The part of the data that was valid when a receiver last looked at less than all of it.
  private @Nullable Bytes valid;

  private final int capacity;
  private @Nullable ByteBuffer channelBuffer;
  private @Nullable Container container;
  private boolean containerIsOpen;

  /// Whether what is in it came from its twin.
  private boolean isFromTwin;

  private boolean hasHeader;
  private int size;
  private int holder = IN_SPRING;

  /// The stream that lends it, or was the last to do so.
  private @Nullable Stream lender;

  /// A cache line that no thread uses, so that the twin, or what else the other end reads, may lie
  /// before it: a JVM puts numbers of this size first, in their order.
  long apart0, apart1, apart2, apart3, apart4, apart5, apart6, apart7;

  /// The place in the ring of the stream that lent it; the stream's own business.
  long slot;

  /// How many waters the stream that lent it had lent by then; for whom it is lent to.
  long turn;

  /// Its place in its spring's list of all waters; the spring's own business.
  int index;

  /// The next in its spring's stack of waters that other threads have brought back.
  @Nullable Water next;

  Water(BufferSpring home, Jbuf buffer) {
    this.home = home;
    this.buffer = buffer;
    this.capacity = Math.toIntExact(buffer.capacityBytes() - HEADER_BYTES);
    this.whole = buffer.asBytes();
    this.data = whole.slice(HEADER_BYTES, capacity);
    this.original = this;
  }

  private Water(Water original) {
    this.home = original.home;
    this.buffer = original.buffer;
    this.capacity = original.capacity;
    this.whole = original.whole;
    this.data = original.data.slice(0, capacity); // a view that only its receiver reads
    this.original = original;
    this.twin = original;
  }

  /// Returns this water as its receiver sees it, the same object each time. Only the receiver may
  /// call this.
  Water twin() {
    Water known = twin;
    if (known == null) {
      known = new Water(this);
      twin = known;
    }
    return known;
  }

  /// Returns whether this is the twin of that water.
  @SuppressWarnings("ReferenceEquality") // the very water is meant
  boolean isTwinOf(Water water) {
    return twin == water;
  }

  /// Returns the one that its spring has made, and takes back.
  Water original() {
    return original;
  }

  /// Returns the data as bytes. Of a water that this module made, the view has all of [#capacity],
  /// for the module to fill. Of one that came in, it ends where the data ends, at [#size]: behind
  /// that lies what was in the buffer before. The view stays the same while the water belongs to
  /// one module, and, of one that came in, keeps its size.
  ///
  /// @throws IllegalStateException if the water was put or released
  public Bytes bytes() {
    refuseUnlessHeld();
    if (holder == MADE || size == capacity) {
      return data;
    }
    Bytes current = valid;
    if (current == null || current.length() != size) {
      current = data.slice(0, size);
      valid = current;
    }
    return current;
  }

  /// Returns the data as a container of objects: an empty one if this module made the water, else
  /// the one that came in. The view stays the same until the water is put. A module that fills a
  /// container should set the water's size to its `usedBytes()`.
  ///
  /// @throws CorruptContainerException if what came in is not a container, or only a part of one
  /// @throws IllegalStateException if the water was put or released
  public Container container() {
    refuseUnlessHeld();
    Container current = container;
    if (current == null || !containerIsOpen) {
      if (holder != MADE) {
        Container opened = openedByTwin();
        current = opened == null ? data.asContainer() : opened;
        if (current.usedBytes() > size) { // behind that lies what was in the buffer before
          throw new CorruptContainerException(
              "the container in a water of %d bytes uses %d: its sender has set too small a size with setSize(), or its end is lost"
                  .formatted(size, current.usedBytes()));
        }
      } else if (current == null) {
        for (long offset = 0; offset < Container.HEADER_BYTES; offset += Long.BYTES) {
          data.setLong(offset, 0);
        }
        current = data.asContainer();
      } else {
        current.clear();
      }
      container = current;
      containerIsOpen = true;
    }
    return current;
  }

  /// Returns the container that the sender's end has opened, so that it need not be opened again.
  private @Nullable Container openedByTwin() {
    Water other = isFromTwin ? twin : null;
    return other != null && other.containerIsOpen ? other.container : null;
  }

  /// Returns how many bytes of data are valid.
  public int size() {
    return size;
  }

  /// Sets how many bytes of data are valid.
  ///
  /// @throws IllegalArgumentException if it is negative or more than [#capacity]
  /// @throws IllegalStateException if the water was put or released
  public void setSize(int bytes) {
    refuseUnlessHeld();
    if (bytes < 0 || bytes > capacity) {
      throw new IllegalArgumentException(
          "cannot set a size of %d bytes: the water has room for 0 to %d"
              .formatted(bytes, capacity));
    }
    size = bytes;
  }

  /// Returns how many bytes of data the water has room for; at least as many as were asked for.
  public int capacity() {
    return capacity;
  }

  /// Returns how many bytes of the process's memory budget this water takes, all included.
  public long footprintBytes() {
    return Jbuf.footprintBytes(buffer.capacityBytes());
  }

  /// Returns how many bytes of the process's memory budget a spring takes for a new water with room
  /// for `bytes` bytes: the data, the water's own header, and what the allocator rounds up to.
  ///
  /// @throws IllegalArgumentException if `bytes` is negative, or more than a water has room for
  public static long footprintBytes(int bytes) {
    return Jbuf.footprintBytes(bufferBytes(bytes));
  }

  /// Returns how large the buffer of a new water is: its header, and whole cache lines, at least
  /// one.
  static long bufferBytes(int bytes) {
    if (bytes < 0 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "a water of %d bytes: a water has room for 0 to %d bytes".formatted(bytes, MOST_BYTES));
    }
    return HEADER_BYTES + Math.max(1, Math.ceilDiv((long) bytes, HEADER_BYTES)) * HEADER_BYTES;
  }

  /// Takes an input water out of its stream. Its credit goes back to the sender now, and the water
  /// stays this module's after `process` returns, until the module puts or releases it, or the flow
  /// ends. A module that keeps waters has to bound their memory itself, since the window no longer
  /// does. Has no effect on a water that the module owns already.
  ///
  /// @throws IllegalStateException if the water was put or released
  public void keep() {
    refuseUnlessHeld();
    leaveLender();
  }

  /// Gives the water back to its spring. A module calls this for a water that it has kept, or made
  /// and not put; an input water goes back by itself.
  ///
  /// @throws IllegalStateException if the water was put or released
  public void release() {
    refuseUnlessHeld();
    Stream from = lender;
    boolean lent = holder == LENT;
    holder = GIVEN_BACK;
    renew();
    if (lent && from != null) {
      from.settle(this);
    } else {
      home.takeBack(this);
    }
  }

  /// Gives the water back to the spring that made it, whichever that is. Kinds of streams that
  /// carry waters of other springs call this when the receiver has finished with one.
  ///
  /// @throws IllegalStateException as for [BufferSpring#takeBack]
  public void returnHome() {
    home.takeBack(this);
  }

  /// Returns the spring it was made by, and goes back to.
  BufferSpring home() {
    return home;
  }

  Jbuf buffer() {
    return buffer;
  }

  /// Returns the data, without looking whether a module holds it.
  Bytes data() {
    return data;
  }

  /// Returns the whole buffer, for a kind of streams that writes what it sends before the data.
  Bytes whole() {
    original.hasHeader = true; // so that the next use begins with none
    return whole;
  }

  /// Says that the header describes nothing.
  void clearHeader() {
    whole.setLong(CHECKSUM, 0);
  }

  /// Returns a buffer over the data for a channel, with position 0 and the given limit.
  ByteBuffer channelBuffer(int limit) {
    ByteBuffer made = channelBuffer;
    if (made == null) {
      made = data.byteBuffer();
      channelBuffer = made;
    }
    return made.clear().limit(limit);
  }

  /// Moves it from the spring to a module.
  Water begin(int bytes) {
    renew();
    if (hasHeader) { // the header describes the data of the last use
      hasHeader = false;
      whole.setLong(CHECKSUM, 0);
    }
    holder = MADE;
    hold(bytes, false);
    return this;
  }

  /// Moves it from a module onto a stream.
  void depart() {
    if (!containerIsOpen) { // the receiver gets the container that the twin has open
      Container opened = openedByTwin();
      if (opened != null) {
        container = opened;
        containerIsOpen = true;
      }
    }
    holder = ON_STREAM;
    renew();
  }

  /// Writes the header, for a receiver that will check it.
  void writeHeader(long source, long sequence) {
    original.hasHeader = true;
    whole.setLong(SOURCE, source);
    whole.setLong(SEQUENCE, sequence);
    whole.setLong(SIZE, size);
    whole.setLong(CHECKSUM, HAS_CHECKSUM | checksum());
  }

  /// Begins a new holder's time. With `-Dtigris.check=leases`, views that the last holder kept
  /// throw from now on.
  @SuppressWarnings("ReferenceEquality") // the very view is meant
  private void renew() {
    Bytes renewed = data.renewed();
    if (renewed != data) {
      show(renewed);
      if (twin != null) {
        twin.show(renewed);
      }
    }
  }

  private void show(Bytes renewed) {
    data = renewed;
    valid = null;
    channelBuffer = null;
    container = null;
    containerIsOpen = false;
  }

  /// Moves it from a stream, with this many bytes, to the end that this twin is for.
  Water arrive(int bytes) {
    hold(bytes, true);
    return this;
  }

  /// Notes how many bytes of data are valid, and that no container is open in them. A field that
  /// has its value already is not stored again, because a hand-over waits for its stores.
  private void hold(int bytes, boolean fromTwin) {
    if (size != bytes) {
      size = bytes;
    }
    if (containerIsOpen) {
      containerIsOpen = false;
    }
    if (isFromTwin != fromTwin) {
      isFromTwin = fromTwin;
    }
  }

  /// Moves it from a stream to a module, for one call. A stream that carries bytes has made the
  /// water and filled it with what came in; the module gets it as one that came in.
  @SuppressWarnings("ReferenceEquality") // the very stream is meant
  void lend(Stream from) {
    holder = LENT;
    if (lender != from) {
      lender = from;
    }
  }

  /// Notes that the water holds bytes from outside, which no module has made.
  void filled(int bytes) {
    holder = OWNED;
    hold(bytes, false);
  }

  /// Moves it into its spring, from wherever it was.
  ///
  /// @return the one that the spring has made
  /// @throws IllegalStateException if it is there, or it or its twin is lent to a module
  Water comeHome() {
    if (holder == IN_SPRING || original.holder == IN_SPRING) {
      throw new IllegalStateException(
          "this water was given back before, and its next user would share it with another:"
              + " release or return a water once");
    }
    refuseIfLent();
    if (twin != null) {
      twin.refuseIfLent();
    }
    holder = IN_SPRING;
    original.holder = IN_SPRING;
    return original;
  }

  private void refuseIfLent() {
    if (holder == LENT) {
      throw new IllegalStateException(
          "this water is lent to a module by stream %s: release() it there, or keep() it first"
              .formatted(lender));
    }
  }

  /// If it is lent, makes it the module's own.
  void leaveLender() {
    Stream from = lender;
    if (holder == LENT && from != null) {
      holder = OWNED;
      from.settleByLeaving(this);
    }
  }

  long source() {
    return whole.getLong(SOURCE);
  }

  long sequence() {
    return whole.getLong(SEQUENCE);
  }

  /// Returns whether the data is what it was when it was put, as far as a checksum can tell.
  boolean isIntact() {
    long stored = whole.getLong(CHECKSUM);
    return (stored & HAS_CHECKSUM) == 0
        || (whole.getLong(SIZE) == size && stored == (HAS_CHECKSUM | checksum()));
  }

  private long checksum() {
    CRC32C crc = new CRC32C();
    crc.update(channelBuffer(size));
    return crc.getValue();
  }

  void refuseUnlessHeld() {
    int now = holder;
    if (now < MADE || now > LENT) {
      throw new IllegalStateException(
          "the module may no longer use this water: it was put on a stream or released, or its"
              + " process call is over. Call keep() to use an input water longer");
    }
  }
}
