package dev.tigris.specializer.structure;

import java.lang.constant.MethodTypeDesc;

/// What a rule says of one method.
///
/// @param type as the class declares it
/// @param recipe in the notation that `memory` reads
public record StructureMethod(String name, MethodTypeDesc type, String recipe) {}
