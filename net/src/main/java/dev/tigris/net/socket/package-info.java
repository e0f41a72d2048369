/// What providers over TCP share: how addresses are written, a listener whose socket has a
/// descriptor, and the buffers for what is too short to be moved by itself. Not exported.
@NullMarked
package dev.tigris.net.socket;

import org.jspecify.annotations.NullMarked;
