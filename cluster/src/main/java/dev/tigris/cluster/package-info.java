/// Streams between processes. An [Exchange] is made once in each process. It makes kinds of streams
/// whose other end is in another process, and that end gets its kind from the exchange there.
@NullMarked
package dev.tigris.cluster;

import org.jspecify.annotations.NullMarked;
