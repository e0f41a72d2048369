/// Dataflow in Java: modules that take in and put out waters, joined by reservoirs of streams.
///
/// A [Flow] describes stages of replicated [modules][Module] and [sources][Source]. A [Reservoir]
/// joins two stages by a [Stream] from each replica to each, and its policy chooses the stream for
/// each [Water], a batch of data outside the heap. A slow replica runs out of credit, so the data
/// goes to the others. [Flow#start] runs the flow in this JVM, and [FlowRun] waits for its end.
///
/// This flow adds up numbers, with four adders that need not be equally fast:
///
/// ```java
/// LongAdder total = new LongAdder();
/// Flow flow = Flow.named("sum")
///     .source("count", () -> out -> {
///       Water water = out.spring().createWater(Integer.BYTES);
///       water.bytes().setInt(0, 42);
///       out.put(water);
///       return false; // true for more
///     })
///     .reservoir(Reservoir.leastOutstanding())
///     .stage("add", () -> (in, out) -> total.add(in.bytes().getInt(0)), 4)
///     .build();
/// flow.start().await();
/// ```
///
/// **Threads.** Each replica of a stage has a thread of its own, which calls all methods of its
/// module. The module's streams and waters belong to that thread. Other threads may use a [Flow], a
/// [FlowRun], and what says so.
///
/// **Names.** [Module] shares its name with [java.lang.Module], and [Flow] and [Stream] share
/// theirs with `java.util.concurrent.Flow` and `java.util.stream.Stream`. Import
/// `dev.tigris.flow.Module` by its full name: the single-type import hides the one of `java.lang`,
/// which `import dev.tigris.flow.*` does not. Where a class uses both kinds of streams, import this
/// one, and write `java.util.stream.Stream`.
@NullMarked
package dev.tigris.flow;

import org.jspecify.annotations.NullMarked;
