package dev.tigris.cluster;

import dev.tigris.net.CompletionQueue;
import dev.tigris.net.VirtualInterface;
import java.util.List;

/// A complete graph: the interfaces that join one member of a group with each other.
/// [Exchange#mesh] makes one.
///
/// Thread rule: the thread that made it, which owns the queue.
///
/// @param self the number of this member, from 0
/// @param queue on which all interfaces complete
/// @param lanes the interfaces to each member, by its number: as many as were asked for, in their
///     order, and none to itself
/// @param sharesMemory whether all interfaces are over `shm`, so that all members share a host
public record Mesh(
    int self, CompletionQueue queue, List<List<VirtualInterface>> lanes, boolean sharesMemory)
    implements AutoCloseable {
  /// Copies the lists.
  public Mesh {
    lanes = lanes.stream().map(List::copyOf).toList();
  }

  /// Returns how many members there are, this one included.
  public int size() {
    return lanes.size();
  }

  /// Breaks all connections off, such that no member takes the end for an orderly one.
  public void abort() {
    lanes.forEach(its -> its.forEach(VirtualInterface::abort));
  }

  /// Closes the interfaces and the queue.
  @Override
  public void close() {
    queue.close();
  }
}
