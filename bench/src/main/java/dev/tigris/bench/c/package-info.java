/// Twins in C, compiled with gcc where there is one and called through the JDK's linker.
@NullMarked
package dev.tigris.bench.c;

import org.jspecify.annotations.NullMarked;
