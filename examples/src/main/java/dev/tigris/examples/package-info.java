/// Small dataflows to read, to run and to measure.
@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
