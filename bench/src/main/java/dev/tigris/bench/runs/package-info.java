/// Benches of runs on several processes, and of reservoirs between them.
@NullMarked
package dev.tigris.bench.runs;

import org.jspecify.annotations.NullMarked;
