@NullMarked
package dev.tigris.verify;

import org.jspecify.annotations.NullMarked;
