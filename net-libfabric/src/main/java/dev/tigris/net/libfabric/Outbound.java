package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.provider.Transfer;

/// A message that has left the queue of sends and is not complete.
final class Outbound {
  /// The registrations by which a peer reads the message: of its ranges only, and only until it is
  /// taken, so that a peer reads what is sent to it and nothing else.
  private final long[] registrations = new long[Transfer.MAXIMUM_RANGES];

  private final Device device;
  private int registered;

  /// Of the packet that offers it.
  int sequence;

  /// How many of its bytes were handed to the library.
  long sent;

  /// Packets that were, and are not complete.
  int piecesUnderWay;

  private boolean offered;

  Outbound(Device device) {
    this.device = device;
  }

  void start(int number) {
    sequence = number;
    sent = 0;
    offered = false;
  }

  void offer(long bytes) {
    sent = bytes;
    offered = true;
  }

  boolean isOffered() {
    return offered;
  }

  /// The peer does not need it any more.
  void taken() {
    offered = false;
    deregister();
  }

  /// Whether the library and the peer need its memory no longer.
  boolean isDone() {
    return piecesUnderWay == 0 && !offered;
  }

  void add(long registration) {
    registrations[registered++] = registration;
  }

  /// Ends what a peer can read.
  void deregister() {
    while (registered > 0) {
      device.deregister(registrations[--registered]);
    }
  }
}
