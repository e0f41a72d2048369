package dev.tigris.memory;

import java.util.Map;

/// What the Jbufs of this process hold, at one moment.
///
/// @param budgetBytes the most that Jbufs may hold together (`-Dtigris.memory.budget=BYTES`)
/// @param usedBytes what they hold now, rounded up as the allocator rounds
/// @param mappedBytes the size of the files that Jbufs lie over, which the budget does not bound
/// @param count how many Jbufs are not freed
/// @param awaitingBytes the part of `usedBytes` that waits for the collector to verify an
///     [Jbuf#unreference]
/// @param reclaimedCount how many Jbufs were taken back so far because their handle had become
///     unreachable without [Jbuf#free]
/// @param bytesByOwner the part of each owner, as named when allocating
/// @param bytesBySite the part of each place in the program that allocates, with
///     `-Dtigris.memory.sites=true`; empty without
public record MemoryUse(
    long budgetBytes,
    long usedBytes,
    long mappedBytes,
    long count,
    long awaitingBytes,
    long reclaimedCount,
    Map<String, Long> bytesByOwner,
    Map<String, Long> bytesBySite) {}
