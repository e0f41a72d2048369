/// Small modules for common tasks: filters, maps, groups by key, joins, routes by key, and the
/// greatest or least rows. Each takes and gives waters of rows ([dev.tigris.flow.text]), and can be
/// read in a few minutes.
@NullMarked
package dev.tigris.flow.operator;

import org.jspecify.annotations.NullMarked;
