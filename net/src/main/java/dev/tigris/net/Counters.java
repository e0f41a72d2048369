package dev.tigris.net;

/// The counters of an interface.
///
/// @param messagesSent sends that completed with [Status#DONE]
/// @param bytesSent their bytes
/// @param messagesReceived receives that completed with [Status#DONE]
/// @param bytesReceived their bytes
/// @param dropped messages that found no posted receive and were dropped: unreliable delivery
/// @param refused messages that were too long for the posted receive or of another type
/// @param registeredBuffers views that are registered now
/// @param registeredBytes their bytes
public record Counters(
    long messagesSent,
    long bytesSent,
    long messagesReceived,
    long bytesReceived,
    long dropped,
    long refused,
    long registeredBuffers,
    long registeredBytes) {}
