package dev.tigris.net.shm;

import dev.tigris.os.LastingMemory;

/// A region that the peer may read.
///
/// @param loan by which the peer knows it
/// @param memory of the region, for messages that are too short to be left there
record LentRegion(Loan loan, LastingMemory memory) {}
