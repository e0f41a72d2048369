/// Measures the machine code of a call site, for `tigris specialize`.
@NullMarked
package dev.tigris.cli.specialize;

import org.jspecify.annotations.NullMarked;
