/// Interfaces between the packages of this module. The package is not exported.
@NullMarked
package dev.tigris.memory.internal;

import org.jspecify.annotations.NullMarked;
