/// The operating system as the other modules use it: calls of the C library and their errors,
/// descriptors, mapped pages, memory files, sockets, io_uring and waiting. Callers get descriptors
/// that they close, and segments whose bounds and lifetime hold.
@NullMarked
package dev.tigris.os;

import org.jspecify.annotations.NullMarked;
