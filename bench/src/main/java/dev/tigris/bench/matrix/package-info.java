/// The product of matrices.
@NullMarked
package dev.tigris.bench.matrix;

import org.jspecify.annotations.NullMarked;
