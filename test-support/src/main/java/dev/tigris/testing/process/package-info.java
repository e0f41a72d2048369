/// Processes and JVMs that a test starts, watches, kills and reaps.
@NullMarked
package dev.tigris.testing.process;

import org.jspecify.annotations.NullMarked;
