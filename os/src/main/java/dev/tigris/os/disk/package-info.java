/// Disks: reads, writes and syncs of files and block devices, several under way at a time, waited
/// for together with everything else that a thread waits for. Internal, as `dev.tigris.os`.
///
/// A `DiskQueue` has an *engine* that moves bytes: io_uring, or plain calls on threads where that
/// is forbidden. All rules lie above the engines, in the queue, so that both have the same: an
/// operation transfers everything or ends with the file, short transfers go on, interrupted ones
/// are repeated, the ends of a direct transfer that are no whole blocks go through the page cache,
/// and a file whose sync has failed is refused from then on.
///
/// ```
///   DiskOperation --start--> DiskQueue --pieces--> Engine: UringEngine | PlainEngine
///        ^                       |
///        +--------take-----------+
/// ```
@NullMarked
package dev.tigris.os.disk;

import org.jspecify.annotations.NullMarked;
