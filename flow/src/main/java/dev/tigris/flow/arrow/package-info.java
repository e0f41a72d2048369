/// Arrow files in a flow: a module that turns tables of objects into the bytes of a file, and a
/// source that reads tables from one.
///
/// ```java
/// Flow.named("export")
///     .source("read", () -> new ArrowFeed<>(ArrowRows.of(Trade.class), in, 10_000))
///     .reservoir(Reservoir.leastOutstanding())
///     .stage("price", () -> new Pricing(), 8)
///     .reservoir(Reservoir.leastOutstanding())
///     .stage("write", () -> new ArrowEncoder<>(ArrowRows.of(Trade.class)))
///     .drain("write", FileStream.writing(out))
///     .build();
/// ```
@NullMarked
package dev.tigris.flow.arrow;

import org.jspecify.annotations.NullMarked;
