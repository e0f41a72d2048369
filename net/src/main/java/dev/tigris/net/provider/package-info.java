/// The interface that a provider implements, and the parts that all providers share. Not exported.
///
/// A [Provider] is opened to a [Carrier], the hidden half of a fabric. A [Port] is the hidden half
/// of a completion queue, a [Link] of an interface, a [ProviderListener] of a listener, a [Region]
/// of a registration and a [Transfer] of a descriptor. The public halves check what the application
/// does; a provider moves the bytes, and never sees a call in a state that does not allow it.
///
/// What arrives is judged by the [ReceiveQueue] of a link, so that messages meet the same fate over
/// all providers. Most links have a class for each half: `Outgoing` works off the [SendQueue], and
/// `Incoming` fills what the other one holds.
///
/// Everything here belongs to the thread that owns the completion queue, except for what says
/// otherwise.
@NullMarked
package dev.tigris.net.provider;

import org.jspecify.annotations.NullMarked;
