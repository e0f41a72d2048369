/// How a sender chooses one of several streams: the policies of a reservoir, and what they see.
///
/// A [Policy] is a pure function of a [SenderView] and a random number generator. The engine and
/// the simulator in the module `verify` run the same classes; the one with the clock of the
/// machine, the other with its own.
@NullMarked
package dev.tigris.flow.policy;

import org.jspecify.annotations.NullMarked;
