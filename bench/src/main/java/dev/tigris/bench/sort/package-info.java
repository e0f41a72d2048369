/// Figures of `sort`, all of whole processes: what a user of the command waits for.
@NullMarked
package dev.tigris.bench.sort;

import org.jspecify.annotations.NullMarked;
