package dev.tigris.message.call;

/// The counts of a client or a server.
///
/// @param started calls that were made, or have arrived
/// @param succeeded calls that have ended with [Status#OK]
/// @param failed calls that have ended otherwise
/// @param refused calls that the server refused before they ran; they are among those that failed
/// @param retried tries after the first one, at the client
/// @param underWay calls that have not ended
/// @param copied objects that were copied to be sent
/// @param inPlace objects that were sent from where they were made
/// @param bytesSent bytes of arguments at the client, and of results at the server
/// @param bytesReceived bytes of results at the client, and of arguments at the server
/// @param buffers how many buffers calls and the program have now
/// @param creditsInUse messages to peers that are not known to be worked off, as of the last second
/// @param waiting messages that wait for a credit, or for a server, as of the last second
/// @param latencies how long calls took, at the client from the call on, at the server from the
///     arrival on to the reply
public record CallStatistics(
    long started,
    long succeeded,
    long failed,
    long refused,
    long retried,
    long underWay,
    long copied,
    long inPlace,
    long bytesSent,
    long bytesReceived,
    int buffers,
    long creditsInUse,
    long waiting,
    Latencies latencies) {}
