package dev.tigris.bench.disks;

/// A load on some files.
///
/// @param label of the figure
/// @param blockBytes of each operation
/// @param depth how many operations are under way
/// @param files how many files there are
record Load(String label, int blockBytes, int depth, boolean isRandom, int files) {}
