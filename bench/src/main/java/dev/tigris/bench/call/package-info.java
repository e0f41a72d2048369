/// Calls beside gRPC, Aeron and the interface below: latency at fixed rates, and calls a second.
@NullMarked
package dev.tigris.bench.call;

import org.jspecify.annotations.NullMarked;
