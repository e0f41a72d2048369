package dev.tigris.spark;

import dev.tigris.flow.Results;
import org.apache.spark.api.java.JavaRDD;

/// The outcome of a flow through which the records of an RDD went.
///
/// @param results what its modules have told
/// @param records what its drains have written: one partition for each worker, in no order of
///     records. Spark keeps them in memory and on disks until `unpersist()`, or until nothing
///     refers to them. If an executor is lost with some, jobs that need them fail: run the flow
///     again then
public record SparkOutput(Results results, JavaRDD<byte[]> records) {}
