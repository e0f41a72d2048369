@NullMarked
package dev.tigris.sort;

import org.jspecify.annotations.NullMarked;
