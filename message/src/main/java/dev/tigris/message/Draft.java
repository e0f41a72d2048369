package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.message.channel.Channel;
import org.jspecify.annotations.Nullable;

/// A request that is made in the registered memory that it is sent from: nothing is copied
/// (GASNet's *prepare* and *commit*). [Endpoint#prepare] makes one. Until it is committed or
/// cancelled, no other request can be sent to that peer, and the bundle is not polled.
public final class Draft implements AutoCloseable {
  private final Endpoint endpoint;
  private final Channel channel;
  private final int handler;
  private final int words;
  private final int room;
  private final long at;
  private @Nullable Bytes payload;
  private boolean isOver;

  Draft(Endpoint endpoint, Channel channel, int handler, int words, int room, long at) {
    this.endpoint = endpoint;
    this.channel = channel;
    this.handler = handler;
    this.words = words;
    this.room = room;
    this.at = at;
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
    channel.requestBytes().setLong(at + (long) index * Long.BYTES, value);
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
    if (its == null) {
      its = channel.requestBytes().slice(at + (long) words * Long.BYTES, room);
      payload = its;
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
    endpoint.committed(channel, at, handler, words, (int) payloadBytes);
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
