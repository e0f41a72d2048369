/// A translation rule that is about no container at all: arithmetic on complex numbers that makes
/// no objects.
@NullMarked
package dev.tigris.examples.complex;

import org.jspecify.annotations.NullMarked;
