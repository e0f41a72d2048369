/// Flows in the executors of a Spark application: Spark places the workers, ships the code and
/// watches, and the streams of the flow move the data.
@NullMarked
package dev.tigris.spark;

import org.jspecify.annotations.NullMarked;
