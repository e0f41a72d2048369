/// Pre-serialized objects beside what else keeps or carries objects as bytes.
@NullMarked
package dev.tigris.bench.objects;

import org.jspecify.annotations.NullMarked;
