@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
