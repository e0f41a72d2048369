/// Disks of other hosts: each worker serves the folders that it was told to, and other processes
/// read and write files there by calls.
@NullMarked
package dev.tigris.cluster.disk;

import org.jspecify.annotations.NullMarked;
