/// The policies by which a sender chooses one of several streams, and what they see.
///
/// A [Policy] is a pure function of a [SenderView] and a random number generator. The engine runs
/// it with the clock of the machine, and a simulator can run the same class with a clock of its
/// own.
@NullMarked
package dev.tigris.flow.policy;

import org.jspecify.annotations.NullMarked;
