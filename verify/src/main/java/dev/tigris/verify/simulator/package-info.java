/// A seeded simulator of reservoirs that runs the policies that ship, with thousands of nodes.
@NullMarked
package dev.tigris.verify.simulator;

import org.jspecify.annotations.NullMarked;
