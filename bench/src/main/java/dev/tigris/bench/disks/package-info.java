/// Figures of disks: single operations beside fio and the JDK, and mirrored disks beside the ideal.
@NullMarked
package dev.tigris.bench.disks;

import org.jspecify.annotations.NullMarked;
