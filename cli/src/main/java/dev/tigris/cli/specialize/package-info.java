/// Measurements of `tigris specialize` in the JVM that runs it: the machine code of a call site.
@NullMarked
package dev.tigris.cli.specialize;

import org.jspecify.annotations.NullMarked;
