package dev.tigris.flow;

import java.util.List;

/// Streams that feed or drain a stage together, such as those that share the reading of one large
/// file: each replica of the stage has one. A kind of stream ([StreamKind]) cannot know which of
/// its streams belong to one run of a flow; a group can.
public abstract class StreamGroup {
  /// For subclasses.
  protected StreamGroup() {}

  /// Returns the kinds of the streams, at least one for each replica; stream `i` goes to replica
  /// `i`. The engine calls this once for each start of a flow. So what the returned kinds share
  /// belongs to one run.
  protected abstract List<StreamKind> kinds(int replicas);

  /// Returns whether the streams share what only one process has, such as the blocks of a file that
  /// each takes when it has time. Then all replicas of the stage are in one process. Streams that
  /// need only their number to know their share may return false.
  protected boolean staysTogether() {
    return true;
  }

  /// Returns how many streams a stage of so many replicas gets.
  int count(int replicas) {
    return replicas;
  }

  /// Returns the group of streams that share nothing.
  static StreamGroup of(List<StreamKind> kinds) {
    return new StreamGroup() {
      @Override
      protected List<StreamKind> kinds(int replicas) {
        return kinds;
      }

      @Override
      protected boolean staysTogether() {
        return false;
      }

      @Override
      int count(int replicas) {
        return kinds.size();
      }
    };
  }
}
