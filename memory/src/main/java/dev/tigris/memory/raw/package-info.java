/// Everything that reaches memory without the JDK's bounds: the segment over the whole address
/// space and the pages under the pool. Not exported; each restricted call is argued where it
/// stands.
@NullMarked
package dev.tigris.memory.raw;

import org.jspecify.annotations.NullMarked;
