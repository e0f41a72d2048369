package dev.tigris.net.provider;

/// A port of [StreamLink]s, which it asks one after the other: it keeps them, those that linger
/// after their close among them, and the buffers that they share.
///
/// A provider adds each link that it makes ([#add]), and wakes the port when a peer has written or
/// read something.
///
/// *This class may still change between minor versions.*
public abstract class StreamPort extends Port {
  private final LinkList<StreamLink> links = new LinkList<>();
  private final StreamBuffers buffers = new StreamBuffers();

  /// Makes a port without links, for the calling thread.
  protected StreamPort() {}

  /// Adds a link that is connected. It removes itself when it is released.
  public final void add(StreamLink link) {
    links.add(link);
  }

  /// How many links there are, lingering ones included.
  protected final int linkCount() {
    return links.size();
  }

  @Override
  public void progress() {
    progressLinks();
    giveUpTheOverdue();
  }

  /// Moves what can be moved of each link.
  protected final void progressLinks() {
    for (int i = links.size() - 1; i >= 0; i--) { // backwards: a link may remove itself
      links.get(i).progress();
    }
  }

  /// Releases a link that has lingered for too long, and buffers that were not needed for a while.
  /// Part of each [#progress].
  protected final void giveUpTheOverdue() {
    StreamLink overdue = links.overdue();
    if (overdue != null) {
      overdue.release();
    }
    buffers.look();
  }

  /// Waits for links that linger, and releases all that are left.
  @Override
  public void close() {
    awaitLingering(() -> !links.isEmpty());
    while (!links.isEmpty()) {
      links.get(0).release();
    }
  }

  StreamBuffers buffers() {
    return buffers;
  }

  void linger(StreamLink link) {
    links.linger(link);
  }

  void remove(StreamLink link) {
    links.remove(link);
  }
}
