/// The control API of a run: what it does, who is slow, and how to end it.
@NullMarked
package dev.tigris.steering;

import org.jspecify.annotations.NullMarked;
