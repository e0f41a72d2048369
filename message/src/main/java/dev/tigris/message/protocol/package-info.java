/// The protocol of a session, as a state machine without threads, clock or I/O: the caller hands in
/// packets and the time, and asks what is to be sent. Endpoints drive it over virtual interfaces,
/// and a simulator drives it over a network of its own. Internal.
@NullMarked
package dev.tigris.message.protocol;

import org.jspecify.annotations.NullMarked;
