/// The interface that a provider implements, and the parts that all providers share. It may still
/// change between minor versions.
///
/// A [Provider] is opened to a [Carrier], the hidden half of a fabric. A [Port] is the hidden half
/// of a completion queue, a [Link] of an interface, a [ProviderListener] of a listener, a [Region]
/// of a registration and a [Transfer] of a descriptor. The public halves check what the application
/// does; a provider moves the bytes, and never sees a call in a state that does not allow it.
///
/// The [ReceiveQueue] of a link judges each message that arrives, so that messages meet the same
/// fate over all providers.
///
/// Base classes do what most providers repeat:
///
/// - *Links.* A [StreamLink] exchanges messages over a [ByteStream], and a [StreamPort] keeps such
///   links. A [FrameReceiver] takes frames apart where a provider reads by itself, and a [LinkList]
///   keeps the links of another port, and those that linger after their close.
/// - *Waiting.* A [Port] parks until it is woken; a [DescriptorPort] waits until one of its files
///   can be read.
/// - *Connecting.* A [HandshakeListener] takes requests that are a [Hello], and a [ConnectResult]
///   is made from the answer.
///
/// Everything here belongs to the thread that owns the completion queue, except for what says
/// otherwise.
@NullMarked
package dev.tigris.net.provider;

import org.jspecify.annotations.NullMarked;
