/// The contracts that every provider of [dev.tigris.net] has to pass, and a provider that breaks
/// its promises on purpose.
///
/// The tests of a provider extend the parts of the contract ([MessageContract],
/// [CompletionContract], [MemoryContract], [FileMemoryContract], [ArrayContract],
/// [ConnectionContract] and [ProcessContract]), each of which is a set of JUnit tests over a
/// [FabricContract.Subject].
///
/// [FaultyFabric] wraps any provider, for tests of what is built on top of it.
@NullMarked
package dev.tigris.net.testing;

import org.jspecify.annotations.NullMarked;
