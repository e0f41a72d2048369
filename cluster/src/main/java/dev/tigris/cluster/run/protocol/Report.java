package dev.tigris.cluster.run.protocol;

/// A message of a worker to the coordinator, at each change and each beat. It says all that the
/// worker has to say, so that a lost, doubled or late one needs no rule of its own.
///
/// @param epoch the worker's attempt
/// @param worker which worker, from 0
/// @param number which of its reports, from 1
/// @param word how far it has come
public record Report(Epoch epoch, int worker, long number, Word word) {}
