/// Benches of flows over several processes.
@NullMarked
package dev.tigris.bench.cluster;

import org.jspecify.annotations.NullMarked;
