/// Runs of a flow on many processes: programs that describe a flow, their arguments, where they
/// run, and what comes of it.
///
/// ```java
/// public final class Totals implements FlowProgram {
///   public Flow describe(Arguments arguments) {
///     return Flow.named("totals")
///         .source("read", () -> new Reader(arguments.word(0)))
///         .reservoir(Reservoir.leastOutstanding())
///         .stage("add", Adder::new, arguments.processors())
///         .build();
///   }
/// }
///
/// Results results = Cluster.processes(4).start(Totals.class, "trades.csv").await();
/// ```
///
/// One process, the *coordinator*, describes the flow, starts the *workers*, and divides the
/// replicas among them. Each worker describes the flow for itself. What they have described is
/// compared before anything starts. No object travels from one process to another: only arguments,
/// which are text, and [results][dev.tigris.flow.Results].
@NullMarked
package dev.tigris.cluster.run;

import org.jspecify.annotations.NullMarked;
