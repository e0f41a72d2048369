/// Records by key between processes, beside the engines that do that for a living.
@NullMarked
package dev.tigris.bench.shuffle;

import org.jspecify.annotations.NullMarked;
