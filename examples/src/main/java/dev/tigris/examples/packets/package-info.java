/// A class that a restricted rule lays over foreign bytes: the header of an internet packet.
@NullMarked
package dev.tigris.examples.packets;

import org.jspecify.annotations.NullMarked;
