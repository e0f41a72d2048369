/// A simulator of runs: the shipped coordinator and workers in virtual time, over a network that
/// loses, doubles, delays and cuts, on hosts and disks that fail.
@NullMarked
package dev.tigris.verify.runs;

import org.jspecify.annotations.NullMarked;
