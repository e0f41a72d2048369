package dev.tigris.memory.arrow;

/// A column of a file that an [ArrowColumnWriter] writes.
///
/// Immutable.
///
/// @param name of the column; several may have one name
/// @param type of its values
public record ArrowColumn(String name, ArrowColumnType type) {}
