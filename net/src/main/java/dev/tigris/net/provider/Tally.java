package dev.tigris.net.provider;

/// What a link counts.
final class Tally {
  long messagesSent;
  long bytesSent;
  long messagesReceived;
  long bytesReceived;
  long dropped;
  long refused;
}
