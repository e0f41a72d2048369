package dev.tigris.specializer;

import java.lang.constant.ClassDesc;

/// A method cannot be written without knowing a class that is nowhere: which of its superclasses it
/// shares with another one where two ways through the code meet, say.
final class MissingClassException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  MissingClassException(ClassDesc type) {
    super(
        Location.nameOf(type)
            + " is not found: put the jars that the class was compiled with on the class path");
  }
}
