package dev.tigris.memory;

import java.util.Map;

/// The memory that the Jbufs of this process hold at one moment.
///
/// @param budgetBytes the most that Jbufs may hold together (`-Dtigris.memory.budget=BYTES`)
/// @param usedBytes the bytes that they hold now, rounded up as the allocator rounds
/// @param mappedBytes the size of the mapped files, which the budget does not bound
/// @param count the number of Jbufs that are not freed
/// @param awaitingBytes the part of `usedBytes` whose [Jbuf#unreference] the collector has not
///     verified yet
/// @param reclaimedCount the number of Jbufs that were reclaimed so far, because their handle had
///     become unreachable without [Jbuf#free]
/// @param bytesByOwner the bytes of each owner, as named when allocating
/// @param bytesBySite the bytes of each place in the program that allocates, with
///     `-Dtigris.memory.sites=true`; empty without that option
public record MemoryUse(
    long budgetBytes,
    long usedBytes,
    long mappedBytes,
    long count,
    long awaitingBytes,
    long reclaimedCount,
    Map<String, Long> bytesByOwner,
    Map<String, Long> bytesBySite) {}
