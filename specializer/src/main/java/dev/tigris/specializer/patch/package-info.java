/// Code patches (papers: 003 section 3.2): the original class file carries what specializing it
/// would change, and a small agent makes the change as the class is loaded.
///
/// [CodePatch][dev.tigris.specializer.patch.CodePatch] makes and applies them;
/// the [agent][dev.tigris.specializer.Agent] does the latter. This package uses nothing else of the
/// specializer, so that little is loaded with an application.
@NullMarked
package dev.tigris.specializer.patch;

import org.jspecify.annotations.NullMarked;
