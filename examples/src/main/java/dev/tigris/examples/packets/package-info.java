/// A class that a restricted rule lays over bytes which others define: the header of an internet
/// packet.
@NullMarked
package dev.tigris.examples.packets;

import org.jspecify.annotations.NullMarked;
