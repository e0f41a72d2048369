package dev.tigris.specializer;

import java.lang.classfile.Instruction;

/// One instruction in its context: what a [Rule] decides on.
///
/// @param in the class that the instruction stands in
/// @param instruction a field access or a method call
/// @param hierarchy answers questions about the classes it mentions
public record Site(
    ClassInfo in, Location location, Instruction instruction, ClassHierarchy hierarchy) {}
