package dev.tigris.cluster.group;

import dev.tigris.cluster.run.Arguments;

/// A program that runs once in each member of a group. It is a public class with a public
/// constructor without parameters, so that each process can make one.
@FunctionalInterface
public interface GroupProgram {
  /// Runs one member. The group is over when this has returned in all of them: a member that
  /// returns early waits for the others.
  ///
  /// @param group this member's view of the group, for this thread only
  /// @param arguments the user's words, which are equal in all members
  /// @throws Exception if the member fails: then all fail
  void run(Group group, Arguments arguments) throws Exception;
}
