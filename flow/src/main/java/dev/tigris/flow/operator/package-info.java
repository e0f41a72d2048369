/// Small modules for common tasks: groups by key, joins with a table, and routes by key. Each
/// takes and gives waters of rows ([dev.tigris.flow.text]), and can be read in a few minutes.
@NullMarked
package dev.tigris.flow.operator;

import org.jspecify.annotations.NullMarked;
