/// Code patches (Welsh, *Safe and Efficient Hardware Specialization of Java Applications*, 2000,
/// section 3.2): the original class file carries the changes of the specializer, and a small agent
/// applies them as the class is loaded.
///
/// [CodePatch][dev.tigris.specializer.patch.CodePatch] makes and applies them; the
/// [agent][dev.tigris.specializer.Agent] does the latter. This package uses nothing else of the
/// specializer, so that little is loaded with an application.
@NullMarked
package dev.tigris.specializer.patch;

import org.jspecify.annotations.NullMarked;
