/// Needs of a test on its host: tools, network namespaces, small file systems, TLS keys.
@NullMarked
package dev.tigris.testing.host;

import org.jspecify.annotations.NullMarked;
