package dev.tigris.os;

/// One of the things that a thread waits for at once: streams in memory, the completion queue of a
/// provider, a disk's ring, or operations that another thread asks for.
///
/// A thread waits in a [Waiter]. One source, the *host*, parks it. The others cannot: each ends the
/// park by waking the host, from the moment when it is armed.
///
/// Thread rule: the waiting thread, except for [#wake].
public interface WaitSource {
  /// Does what can be done without waiting. Returns whether the wait is over.
  boolean poll();

  /// Announces that the thread is about to park: what comes for this source from now on ends the
  /// park. Called before each park, and so more than once before [#disarm].
  ///
  /// @param host the source that parks the thread, which a source that is not the host wakes
  /// @return false if there may be something to do at once, so that the thread must not park
  boolean arm(WaitSource host);

  /// Takes the announcement back: the thread does not wait any more.
  void disarm();

  /// Parks the thread until something has come for this source, or [#wake] was called since the
  /// last park, or the time is over. It may return early. Only the host is asked to park.
  void park(long nanos);

  /// Ends a park, or the next one. Any thread.
  void wake();
}
