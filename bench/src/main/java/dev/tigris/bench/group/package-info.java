/// Collective operations of groups, products by groups of processes, and by the papers' ring.
@NullMarked
package dev.tigris.bench.group;

import org.jspecify.annotations.NullMarked;
