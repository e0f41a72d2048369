/// The Maven goals that specialize a module's classes.
@NullMarked
package dev.tigris.specializer.maven;

import org.jspecify.annotations.NullMarked;
