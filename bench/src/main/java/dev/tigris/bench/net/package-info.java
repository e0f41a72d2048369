/// Virtual interfaces between two processes, each beside its twin in C and its rivals.
///
/// A contestant is a pair of processes: one serves, the other measures against it and is told what
/// by lines on its standard input ([dev.tigris.bench.net.WorkerMain] for Java, `net.c` for C). The
/// pairs of all contestants live at the same time and take turns of some tens of milliseconds; who
/// has no turn waits in the operating system.
@NullMarked
package dev.tigris.bench.net;

import org.jspecify.annotations.NullMarked;
