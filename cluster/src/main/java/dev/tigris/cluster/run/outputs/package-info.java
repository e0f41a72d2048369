/// Outputs of a run on the disk: the decision that gives them their names, the notes that workers
/// keep about them, and recovery. Internal.
@NullMarked
package dev.tigris.cluster.run.outputs;

import org.jspecify.annotations.NullMarked;
