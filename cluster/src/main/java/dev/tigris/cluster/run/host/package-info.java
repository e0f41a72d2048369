/// The keys of hosts that work on one run, and the connection between a coordinator and the worker
/// of a host. Internal, but for what the command uses.
@NullMarked
package dev.tigris.cluster.run.host;

import org.jspecify.annotations.NullMarked;
