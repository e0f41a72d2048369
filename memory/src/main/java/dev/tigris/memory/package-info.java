@NullMarked
package dev.tigris.memory;

import org.jspecify.annotations.NullMarked;
