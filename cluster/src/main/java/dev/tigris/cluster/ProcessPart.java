package dev.tigris.cluster;

import dev.tigris.flow.FlowPart;

/// The part of a flow that runs in one of several processes, which learns of others while it runs:
/// of those that [guests][dev.tigris.flow.Guest] are in.
public interface ProcessPart extends FlowPart {
  /// Learns of the process that a guest is in. Replicas that are placed there are guests'.
  ///
  /// @param process its number, which none has that the flow began with, and no other guest's
  /// @param reach where it listens
  /// @param key of the guest
  void meet(int process, Reach reach, long key);
}
