/// Small operations, measured in processes of their own, each next to its peer.
///
/// A process ([dev.tigris.bench.fork.ForkMain]) warms up all its contests together until the
/// compiler has been idle for a while, and then measures them in rounds; within a contest, subject
/// and peer take turns at going first. Why this and not JMH: JMH runs a benchmark and its peer
/// minutes apart, in different processes, and on a shared machine that alone makes them differ by
/// more than the few percent that are to be shown (docs/decisions/050-paired-measurements.md).
@NullMarked
package dev.tigris.bench.fork;

import org.jspecify.annotations.NullMarked;
