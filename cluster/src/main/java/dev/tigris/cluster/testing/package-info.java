/// Support for tests of programs: that they compute on several processes what they compute on
/// threads, also if a process dies. It needs no test framework.
@NullMarked
package dev.tigris.cluster.testing;

import org.jspecify.annotations.NullMarked;
