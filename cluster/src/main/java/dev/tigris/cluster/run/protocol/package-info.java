/// How the processes of a run agree: the state machines of its coordinator and of its workers,
/// without threads, clock or I/O. Internal.
@NullMarked
package dev.tigris.cluster.run.protocol;

import org.jspecify.annotations.NullMarked;
