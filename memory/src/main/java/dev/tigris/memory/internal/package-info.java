/// What the packages of this module know of each other and users do not: it is not exported.
@NullMarked
package dev.tigris.memory.internal;

import org.jspecify.annotations.NullMarked;
