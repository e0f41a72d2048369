/// The papers' own tables of objects and buffers, then and now.
@NullMarked
package dev.tigris.bench.papers;

import org.jspecify.annotations.NullMarked;
