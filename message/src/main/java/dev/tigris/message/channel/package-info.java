/// The layer between an endpoint and its virtual interfaces: packets and frames as bytes, rings of
/// packets that are kept until they are acknowledged, bulk transfers, and the driver of a session's
/// state machine. Internal.
@NullMarked
package dev.tigris.message.channel;

import org.jspecify.annotations.NullMarked;
