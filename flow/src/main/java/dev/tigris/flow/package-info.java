/// Dataflow in Java: modules that take in and put out waters, joined by reservoirs of streams.
///
/// A flow that adds up numbers, with four adders that need not be equally fast:
///
/// ```java
/// LongAdder total = new LongAdder();
/// Flow flow =
///     Flow.named("sum")
///         .source(
///             "count",
///             () ->
///                 new Source() {
///                   private int next;
///
///                   @Override
///                   public boolean produce(Stream out) {
///                     Water water = out.spring().createWater(Integer.BYTES);
///                     water.bytes().setInt(0, next++);
///                     out.put(water);
///                     return next < 1000;
///                   }
///                 })
///         .reservoir(Reservoir.leastOutstanding())
///         .stage("add", () -> (in, out) -> total.add(in.bytes().getInt(0)), 4)
///         .build();
/// flow.start().await();
/// ```
@NullMarked
package dev.tigris.flow;

import org.jspecify.annotations.NullMarked;
