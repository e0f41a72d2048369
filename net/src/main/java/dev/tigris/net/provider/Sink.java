package dev.tigris.net.provider;

/// Where transfers go when they are complete.
public interface Sink {
  /// Takes a transfer back. There is always room: one for each that may be posted.
  void completed(Transfer transfer);
}
