package dev.tigris.os.disk;

import java.lang.foreign.MemorySegment;

/// Moves the bytes for a [DiskQueue]: it does pieces, each as one call of the system would, and
/// says what that returned. It retries nothing and knows no files.
///
/// Thread rule: the queue's thread, except for [#hasWork], [#wake] and the waker's run.
interface Engine extends AutoCloseable {
  /// Returns its name and how it works, in words for people.
  String name();

  /// Registers a descriptor, and returns its place; -1 if it has none.
  int register(int descriptor);

  /// Gives a place back; -1 is none.
  void unregister(int place);

  /// Registers memory that buffers are parts of. Returns false if the engine has no use for it, or
  /// the system refuses.
  boolean registerMemory(MemorySegment memory);

  /// Begins a piece, which a later [#submit] or [#awaitOne] hands over. The memory is the engine's
  /// until the piece is returned by [#next].
  void begin(
      int slot,
      DiskOperation.Kind kind,
      int descriptor,
      int place,
      long position,
      MemorySegment part);

  /// Asks to end a piece that was begun early. It ends, as it would have or as cancelled.
  void cancel(int slot);

  /// Hands over what was begun.
  void submit();

  /// Takes the next piece that is done; returns whether there was one.
  boolean next();

  /// Of the piece taken: the slot that it was begun with.
  int slot();

  /// Of the piece taken: how many bytes were transferred, or the number of the error below zero.
  int result();

  /// Hands over, and waits until a piece is done, or for less. No interrupt ends it.
  void awaitOne();

  /// Returns whether a piece is done, or may be. Any thread.
  boolean hasWork();

  /// Says whether a park, or a waker, waits for pieces from now on. What is done after this ends
  /// the park or runs the waker.
  void announce(boolean waits);

  /// Has a waker run once, by another thread, when a piece is done after [#announce].
  void runOnce(Runnable waker);

  /// Parks the thread until a piece is done, [#wake] was called, it is interrupted, or the time is
  /// over; may return early.
  void park(long nanos);

  /// Ends a park, or the next one. Any thread.
  void wake();

  /// Closes it. Nothing is under way.
  @Override
  void close();
}
