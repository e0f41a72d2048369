/// Engines beside us that no module of Tigris knows: Maven fetches them when they are measured, and
/// a program of their own kind is compiled for them.
@NullMarked
package dev.tigris.bench.engine;

import org.jspecify.annotations.NullMarked;
