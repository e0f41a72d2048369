/// Messages through libfabric: connected endpoints over its providers `verbs` and `tcp`.
///
/// A [DeviceQueue] is a device, opened by one port; a [Channel] is an endpoint on it, or a share in
/// one ([ChannelSource]). [LibfabricLink] says how messages travel, [Packet] how they look.
@NullMarked
package dev.tigris.net.libfabric;

import org.jspecify.annotations.NullMarked;
