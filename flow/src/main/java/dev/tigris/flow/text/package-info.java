/// Reads and writes text in a flow. All replicas of a stage read the lines, or the rows of CSV, of
/// a file together. A cursor goes over the rows of a water. A file of rows appears when it is
/// complete.
@NullMarked
package dev.tigris.flow.text;

import org.jspecify.annotations.NullMarked;
