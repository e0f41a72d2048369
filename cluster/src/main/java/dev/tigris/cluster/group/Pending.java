package dev.tigris.cluster.group;

import dev.tigris.memory.View;
import org.jspecify.annotations.Nullable;

/// A send or receive that was started. Until it is done, its memory belongs to the group.
///
/// Thread rule: the member's thread.
public final class Pending {
  private final Engine engine;
  private final boolean isSend;
  private final @Nullable Call call;
  private final View view;
  private final long offset;
  private final long bytes;
  private int peer;
  private int tag;
  private long transferred = -1;

  /// Whether its message moves on the second lane: then it ends without the peer's program.
  private boolean moves;

  private int token;

  Pending(
      Engine engine,
      boolean isSend,
      @Nullable Call call,
      View view,
      long offset,
      long bytes,
      int peer,
      int tag) {
    this.engine = engine;
    this.isSend = isSend;
    this.call = call;
    this.view = view;
    this.offset = offset;
    this.bytes = bytes;
    this.peer = peer;
    this.tag = tag;
  }

  /// Waits until it is done: the message of a send has left its memory, or that of a receive has
  /// arrived.
  ///
  /// @throws GroupException if a member is lost, or the message does not fit
  /// @throws InterruptedException if the thread is interrupted; the group is of no more use then
  public void await() throws InterruptedException {
    engine.await(this);
  }

  /// Moves messages, without waiting, and returns whether it is done.
  ///
  /// @throws GroupException if a member is lost, or the message does not fit
  public boolean isDone() {
    if (transferred < 0) {
      engine.advance(this);
    }
    return transferred >= 0;
  }

  /// Returns the length of the message in bytes, once it is done.
  ///
  /// @throws IllegalStateException if it is not
  public long bytes() {
    requireDone();
    return transferred;
  }

  /// Returns the member that the message came from or went to, once it is done.
  ///
  /// @throws IllegalStateException if it is not
  public int peer() {
    requireDone();
    return peer;
  }

  /// Returns the tag of the message, once it is done.
  ///
  /// @throws IllegalStateException if it is not
  public int tag() {
    requireDone();
    return tag;
  }

  private void requireDone() {
    if (transferred < 0) {
      throw new IllegalStateException("the message is under way: await() it first");
    }
  }

  boolean isOver() {
    return transferred >= 0;
  }

  boolean isSend() {
    return isSend;
  }

  @Nullable Call call() {
    return call;
  }

  View view() {
    return view;
  }

  long offset() {
    return offset;
  }

  /// How many bytes are sent, or there is room for.
  long room() {
    return bytes;
  }

  /// The peer, which may be [Group#ANY] while it is not done.
  int from() {
    return peer;
  }

  /// The tag, which may be [Group#ANY] while it is not done.
  int wanted() {
    return tag;
  }

  boolean takes(int from, int its) {
    return mayCome(from) && (tag == its || tag == Group.ANY);
  }

  boolean mayCome(int from) {
    return peer == from || peer == Group.ANY;
  }

  /// Notes which message it gets.
  void match(int from, int its) {
    peer = from;
    tag = its;
  }

  /// Its message moves on the second lane.
  ///
  /// @param number the sender's number of it
  void move(int number) {
    moves = true;
    token = number;
  }

  int token() {
    return token;
  }

  boolean moves() {
    return moves;
  }

  void done(long length) {
    transferred = length;
    engine.finished();
  }

  @Override
  public String toString() {
    String what = call == null ? (isSend ? "a send" : "a receive") : call.toString();
    return call != null || tag == Group.ANY ? what : what + " with tag " + tag;
  }
}
