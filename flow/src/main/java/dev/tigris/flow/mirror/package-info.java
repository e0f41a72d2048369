/// Data that lies on several disks, and which of its copies is read: graduated declustering.
@NullMarked
package dev.tigris.flow.mirror;

import org.jspecify.annotations.NullMarked;
