package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.message.channel.Channel;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A request that is made in the registered memory that it is sent from: nothing is copied
/// (GASNet's *prepare* and *commit*). [Endpoint#prepare] makes one. Until it is committed or
/// cancelled, no other request can be sent to that peer.
///
/// One object serves all drafts for a peer, so a program does not keep it. The setters make no
/// objects.
///
/// Thread rule: the thread of the bundle.
public final class Draft implements AutoCloseable {
  private final Endpoint endpoint;
  private final Channel channel;

  /// Of the words that were set, for a peer that is lost meanwhile.
  private final long[] copies = new long[Endpoint.MOST_WORDS];

  private int handler;
  private int words;
  private int room;
  private long at;

  /// The view of the payload's memory, if that was asked for; stays for a draft at the same place.
  private @Nullable Bytes payload;

  private long payloadAt;
  private boolean isOver = true;

  Draft(Endpoint endpoint, Channel channel) {
    this.endpoint = endpoint;
    this.channel = channel;
  }

  /// Begins another message.
  Draft open(int itsHandler, int itsWords, int itsRoom, long itsPlace) {
    handler = itsHandler;
    words = itsWords;
    room = itsRoom;
    at = itsPlace;
    isOver = false;
    Arrays.fill(copies, 0, itsWords, 0);
    return this;
  }

  private void requireOpen() {
    if (isOver) {
      throw new IllegalStateException("the message was committed or cancelled already");
    }
  }

  /// Sets a word.
  ///
  /// @throws IndexOutOfBoundsException if there is no such word
  public Draft word(int index, long value) {
    requireOpen();
    if (index < 0 || index >= words) {
      throw new IndexOutOfBoundsException(
          "word %d: the message has %d words".formatted(index, words));
    }
    copies[index] = value;
    channel.requestBytes().setLong(at + (long) index * Long.BYTES, value);
    return this;
  }

  private long within(long offset, long length) {
    requireOpen();
    return at + (long) words * Long.BYTES + Objects.checkFromIndexSize(offset, length, room);
  }

  /// Sets the byte at an offset of the payload.
  ///
  /// @throws IndexOutOfBoundsException if it is outside of what was asked for
  public Draft setByte(long offset, byte value) {
    channel.requestBytes().set(within(offset, Byte.BYTES), value);
    return this;
  }

  /// Sets the 32-bit integer at an offset of the payload; errors as for [#setByte].
  public Draft setInt(long offset, int value) {
    channel.requestBytes().setInt(within(offset, Integer.BYTES), value);
    return this;
  }

  /// Sets the 64-bit integer at an offset of the payload; errors as for [#setByte].
  public Draft setLong(long offset, long value) {
    channel.requestBytes().setLong(within(offset, Long.BYTES), value);
    return this;
  }

  /// Copies a part of an array to an offset of the payload; errors as for [#setByte].
  public Draft copyFrom(long offset, byte[] source, int index, int length) {
    channel.requestBytes().copyFrom(within(offset, length), source, index, length);
    return this;
  }

  /// Returns the memory for the payload, with whatever it held before.
  ///
  /// @throws IllegalStateException if none was asked for
  public Bytes payload() {
    requireOpen();
    if (room == 0) {
      throw new IllegalStateException("no payload was asked for when the message was prepared");
    }
    Bytes its = payload;
    long begin = at + (long) words * Long.BYTES;
    if (its == null || payloadAt != begin || its.capacityBytes() != room) {
      its = channel.requestBytes().slice(begin, room);
      payload = its;
      payloadAt = begin;
    }
    return its;
  }

  /// Returns the memory for the payload as an empty container.
  ///
  /// @throws IllegalArgumentException if it is smaller than a container's header
  public Container container() {
    Bytes its = payload();
    for (long i = 0; i < Container.HEADER_BYTES && i < room; i += Long.BYTES) {
      its.setLong(i, 0);
    }
    return its.asContainer();
  }

  /// Sends the message with all of its payload.
  public void commit() {
    commit(room);
  }

  /// Sends the message with the first bytes of its payload, such as [Container#usedBytes].
  ///
  /// @throws IllegalArgumentException if there are not so many
  public void commit(long payloadBytes) {
    requireOpen();
    if (payloadBytes < 0 || payloadBytes > room) {
      throw new IllegalArgumentException(
          "the payload has %d bytes, and %d were asked for".formatted(payloadBytes, room));
    }
    isOver = true;
    endpoint.committed(channel, at, handler, copies, words, (int) payloadBytes);
  }

  /// Gives the message up, unless it was committed.
  @Override
  public void close() {
    if (!isOver) {
      isOver = true;
      channel.cancel();
    }
  }
}
