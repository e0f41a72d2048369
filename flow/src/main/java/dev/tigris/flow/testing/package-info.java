/// Checks for those who add to Tigris: [StreamContract][dev.tigris.flow.testing.StreamContract] for
/// kinds of streams, [PartContract][dev.tigris.flow.testing.PartContract] for flows in parts. Needs
/// no test framework.
@NullMarked
package dev.tigris.flow.testing;

import org.jspecify.annotations.NullMarked;
