/// Small programs to read, to run and to measure: dataflows, a file scan, a matrix multiplication.
///
/// A checkout runs them by their names:
///
/// ```sh
/// ./tigris example WordCount README.md
/// ```
@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
