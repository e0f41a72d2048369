/// Processes on one host, through memory that they share. [Ring] is the way of the bytes and [Bell]
/// wakes who sleeps; both know nothing of sockets. A socket brings two processes together, and
/// tells when one of them is gone.
///
/// Nothing that the other process writes is trusted: each number is loaded once, and that copy is
/// compared with what this side knows itself.
@NullMarked
package dev.tigris.net.shm;

import org.jspecify.annotations.NullMarked;
