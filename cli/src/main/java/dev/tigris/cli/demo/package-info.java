/// The experiment of `tigris demo`: what a reservoir carries when some of its consumers get slow.
///
/// The benchmarks measure it too.
@NullMarked
package dev.tigris.cli.demo;

import org.jspecify.annotations.NullMarked;
