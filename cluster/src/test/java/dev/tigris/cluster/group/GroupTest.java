package dev.tigris.cluster.group;

/// A group whose members send messages in all calls.
class GroupTest extends GroupContract {
  GroupTest() {
    super("tcp");
  }
}
