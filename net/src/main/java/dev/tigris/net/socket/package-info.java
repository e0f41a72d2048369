/// The parts that providers over TCP share: addresses, a listener whose socket has a descriptor,
/// and buffers for content that is too short to be moved by itself. Not exported.
@NullMarked
package dev.tigris.net.socket;

import org.jspecify.annotations.NullMarked;
