/// Streams that have a module at one end, and files or disks at the other.
@NullMarked
package dev.tigris.flow.ends;

import org.jspecify.annotations.NullMarked;
