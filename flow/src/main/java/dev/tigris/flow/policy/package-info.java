/// The policies by which a sender chooses one of several outgoing streams and a receiver one of
/// several incoming ones, and what they see.
///
/// A [Policy] is a pure function of a [SenderView] and a random number generator, and an
/// [InputPolicy] one of a [ReceiverView]. The engine runs them with the clock of the machine, and a
/// simulator can run the same classes with a clock of its own.
@NullMarked
package dev.tigris.flow.policy;

import org.jspecify.annotations.NullMarked;
