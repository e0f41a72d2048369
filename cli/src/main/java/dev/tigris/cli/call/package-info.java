/// Calls methods of services by name, with JSON for objects.
@NullMarked
package dev.tigris.cli.call;

import org.jspecify.annotations.NullMarked;
