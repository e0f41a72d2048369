package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.View;
import dev.tigris.message.channel.Channel;
import org.jspecify.annotations.Nullable;

/// Where a message came from: the handler of a request replies through it, once at the most. There
/// is always room for the reply, so replying never waits.
///
/// One object serves all messages of an endpoint. A handler must not keep it: in a later handler it
/// stands for another message, and would reply to that.
///
/// Thread rule: the thread of the bundle, in a handler.
public final class Token {
  private final Endpoint endpoint;

  /// Of the last message. A field that is set again for each message would cost the collector a
  /// fence each time.
  private @Nullable Channel channel;

  private boolean isShown;

  Token(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  void show(@Nullable Channel shown) {
    isShown = shown != null;
    if (shown != null && channel != shown) {
      channel = shown;
    }
  }

  /// Refers to a channel no more that has ended.
  void forget(Channel ended) {
    if (channel == ended) {
      channel = null;
    }
  }

  Channel channel() {
    return shown();
  }

  private Channel shown() {
    Channel its = channel;
    if (its == null || !isShown) {
      throw new IllegalStateException("the handler has returned: reply before that");
    }
    return its;
  }

  /// Returns the endpoint that the message has come to.
  public Endpoint endpoint() {
    return endpoint;
  }

  /// Returns the number of the session that it came over: another one after the peer's process has
  /// started anew.
  public long session() {
    return shown().id();
  }

  /// Replies without words.
  ///
  /// @throws IllegalStateException if there was a reply, or this is the handler of a reply
  public void reply(int handler) {
    finish(begin(handler, 0), 0);
  }

  /// Replies with a word; errors as for [#reply(int)].
  public void reply(int handler, long first) {
    long at = begin(handler, 1);
    shown().replyBytes().setLong(at, first);
    finish(at, 1);
  }

  /// Replies with two words; errors as for [#reply(int)].
  public void reply(int handler, long first, long second) {
    long at = begin(handler, 2);
    Bytes bytes = shown().replyBytes();
    bytes.setLong(at, first);
    bytes.setLong(at + 8, second);
    finish(at, 2);
  }

  private long begin(int handler, int words) {
    return shown().beginReply(Endpoint.handlerNumber(handler), words, 0);
  }

  private void finish(long at, int words) {
    shown().finishReply(at, words, 0);
  }

  /// Replies with up to 16 words and a payload, which is copied.
  ///
  /// @param payload null for none
  /// @throws IllegalStateException as for [#reply(int)]
  /// @throws IllegalArgumentException if there are too many words, or the payload is longer than
  ///     [Options#replyBytes]
  public void reply(int handler, long[] words, @Nullable Bytes payload, long offset, int length) {
    Endpoint.requireWords(words.length);
    Channel its = shown();
    Endpoint.requirePayload(length, its.mostReplyPayload(), "Token.bulk");
    long at = its.beginReply(Endpoint.handlerNumber(handler), words.length, length);
    try {
      Endpoint.write(its.replyBytes(), at, words, payload, offset, length);
    } catch (RuntimeException e) {
      its.cancelReply();
      throw e;
    }
    its.finishReply(at, words.length, length);
  }

  /// Replies with a payload of any length, which is sent out of the caller's own memory and stays
  /// as it is until `whenFree` is called.
  ///
  /// @throws IllegalStateException as for [#reply(int)]
  /// @throws IllegalArgumentException if there are too many words
  /// @throws IndexOutOfBoundsException if the payload is not inside of the view
  public void bulk(
      int handler, long[] words, View payload, long offset, long length, Runnable whenFree) {
    Channel its = shown();
    its.send(
        endpoint.transfer(
            true, handler, words, payload, offset, length, -1, its.replyingTo(), whenFree));
  }
}
