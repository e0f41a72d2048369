@NullMarked
package dev.tigris.cli;

import org.jspecify.annotations.NullMarked;
