/// Virtual interfaces: the model of the Virtual Interface Architecture, for every kind of network.
///
/// A [Fabric] is one provider opened. It makes [Listener]s and connected [VirtualInterface]s, each
/// with a send and a receive queue. Memory is registered with an interface, which gives a [Ticket];
/// tickets, or [Descriptor]s of several, are posted; what has completed is taken from a
/// [CompletionQueue].
///
/// ```java
/// try (Fabric fabric = Fabric.open("tcp");
///     CompletionQueue queue = fabric.completionQueue();
///     VirtualInterface peer =
///         fabric.connect(address, TAG, queue, Attributes.DEFAULT, Duration.ofSeconds(5)).get()) {
///   Bytes bytes = Jbuf.allocate(8192).asBytes();
///   Ticket ticket = peer.register(bytes);
///   bytes.set(0, (byte) 42);
///   peer.postSend(ticket.range(0, 1)).orThrow();
///   Descriptor sent = queue.await(Long.MAX_VALUE);
///   peer.deregister(ticket);
/// }
/// ```
///
/// Thread rule: a completion queue, and everything that completes on it, belongs to the thread that
/// opened the queue. Another thread may call what says so, and gets a [WrongThreadException] from
/// whatever else would change something.
@NullMarked
package dev.tigris.net;

import org.jspecify.annotations.NullMarked;
