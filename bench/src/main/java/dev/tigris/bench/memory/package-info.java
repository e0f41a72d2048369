/// Figures of `memory`: views, Jbufs, objects and their fields.
@NullMarked
package dev.tigris.bench.memory;

import org.jspecify.annotations.NullMarked;
