@NullMarked
package dev.tigris.specializer;

import org.jspecify.annotations.NullMarked;
