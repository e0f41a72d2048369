/// TCP through io_uring, from Java alone: the frames of `tcp`, which the kernel moves while the
/// thread does other work.
///
/// The calls are made in `dev.tigris.os`; what is here decides what to ask for, and keeps the
/// memory that the kernel may touch.
@NullMarked
package dev.tigris.net.uring;

import org.jspecify.annotations.NullMarked;
