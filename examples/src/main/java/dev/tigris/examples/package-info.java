/// Small programs to read, to run and to measure: dataflows, a file scan, a matrix multiplication.
@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
