@NullMarked
package dev.tigris.flow;

import org.jspecify.annotations.NullMarked;
