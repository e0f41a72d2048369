/// A translation rule without containers: arithmetic on complex numbers that makes no objects.
@NullMarked
package dev.tigris.examples.complex;

import org.jspecify.annotations.NullMarked;
