package dev.tigris.sort;

/// A part of a file, whose lines are those that begin in it.
///
/// @param file where it lies
/// @param from its first byte
/// @param to the byte behind its last
/// @param number of all parts, in the order of the input
/// @param isFirst whether a line begins at its first byte for sure
/// @param insideFrom whether its first byte lies between quotes, of CSV
record LinePart(
    InputFile file, long from, long to, long number, boolean isFirst, boolean insideFrom) {}
