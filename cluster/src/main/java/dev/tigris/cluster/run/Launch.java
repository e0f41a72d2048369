package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.RunId;

/// What a run begins with, all of which is known before its first worker is.
///
/// @param run its name
/// @param token the word that lets a worker in
/// @param streams the number of the run that its streams carry, which only its processes know
/// @param program the name of the program's class
/// @param arguments with all facts that the coordinator's description has asked for
/// @param flow what the coordinator has described
/// @param code the fingerprint of the code
/// @param limits the times and counts that all processes share
record Launch(
    RunId run,
    long token,
    long streams,
    String program,
    Arguments arguments,
    Described flow,
    Fingerprint code,
    Limits limits) {}
