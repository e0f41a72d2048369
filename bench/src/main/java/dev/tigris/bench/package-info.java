@NullMarked
package dev.tigris.bench;

import org.jspecify.annotations.NullMarked;
