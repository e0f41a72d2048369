package dev.tigris.specializer.structure;

import java.lang.constant.ClassDesc;
import java.util.List;

/// A class laid over bytes that others define.
///
/// @param sizeBytes how many bytes its recipes may touch
public record Structure(ClassDesc type, int sizeBytes, List<StructureMethod> methods) {
  public Structure {
    methods = List.copyOf(methods);
  }
}
