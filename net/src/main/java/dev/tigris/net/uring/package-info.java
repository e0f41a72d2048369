/// TCP through io_uring, from Java alone: the frames of `tcp`, moved by the kernel while we do
/// something else. docs/decisions/063-io-uring.md says what that is good for.
///
/// The calls are made in `dev.tigris.os`; what is here decides what to ask for, and keeps
/// the memory that the kernel may touch.
@NullMarked
package dev.tigris.net.uring;

import org.jspecify.annotations.NullMarked;
