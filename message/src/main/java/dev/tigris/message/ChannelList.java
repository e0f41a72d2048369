package dev.tigris.message;

import dev.tigris.message.channel.Channel;
import dev.tigris.message.protocol.Session;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Some channels, which come and go with every message: a place keeps its channel until another one
/// comes there, because each store of a reference costs the collector a fence.
///
/// Bounded by the channels that there are: each is in the list once at the most.
final class ChannelList {
  private @Nullable Channel[] channels = new @Nullable Channel[8];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  Channel get(int index) {
    Channel channel = channels[index];
    if (channel == null) {
      throw new IndexOutOfBoundsException(index);
    }
    return channel;
  }

  void add(Channel channel) {
    if (size == channels.length) {
      channels = Arrays.copyOf(channels, 2 * size);
    }
    if (channels[size] != channel) {
      channels[size] = channel;
    }
    size++;
  }

  void clear() {
    size = 0;
  }

  /// Removes a channel, if it is there.
  void remove(Channel channel) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (channels[i] != channel) {
        channels[kept++] = channels[i];
      }
    }
    size = kept;
    forgetOthers(channel);
  }

  /// Removes the channels of sessions that have ended.
  void forgetEnded() {
    int kept = 0;
    for (int i = 0; i < channels.length; i++) {
      Channel channel = channels[i];
      boolean isEnded = channel != null && channel.session().state() == Session.State.ENDED;
      if (isEnded) {
        channels[i] = null;
      }
      if (i < size && !isEnded) {
        if (kept != i) {
          channels[kept] = channel;
        }
        kept++;
      }
    }
    size = kept;
  }

  private void forgetOthers(Channel channel) {
    for (int i = size; i < channels.length; i++) {
      if (channels[i] == channel) {
        channels[i] = null;
      }
    }
  }
}
