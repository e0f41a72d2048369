/// Measuring a network from the command line.
@NullMarked
package dev.tigris.cli.net;

import org.jspecify.annotations.NullMarked;
