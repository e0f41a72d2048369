/// What providers need of Linux and the JDK does not have: calls of the C library, waiting for any
/// open file, shared memory that cannot shrink, and sockets that hand it over. What others get is
/// descriptors that they close, and segments whose bounds and lifetime hold.
@NullMarked
package dev.tigris.net.linux;

import org.jspecify.annotations.NullMarked;
