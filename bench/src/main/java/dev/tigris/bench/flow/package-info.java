/// Figures of `flow`: the hand-over between two threads, and reservoirs under perturbation.
@NullMarked
package dev.tigris.bench.flow;

import org.jspecify.annotations.NullMarked;
