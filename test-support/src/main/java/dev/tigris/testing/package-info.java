/// The tiers of the tests, and how a test waits.
@NullMarked
package dev.tigris.testing;

import org.jspecify.annotations.NullMarked;
