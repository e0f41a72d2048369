/// The front end of the specializer (Welsh, MS thesis, 1999, section 3): class files and an ordered
/// list of [rules][dev.tigris.specializer.Rule] go in, class files with call sites come out.
///
/// [Specializer][dev.tigris.specializer.Specializer] works on one class file and touches no disk,
/// so that any delivery (the Maven plugin, a command, an agent) gets the same bytes from it.
@NullMarked
package dev.tigris.specializer;

import org.jspecify.annotations.NullMarked;
