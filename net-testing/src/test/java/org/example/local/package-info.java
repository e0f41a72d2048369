/// A provider as anybody can write one, on the published interface only: messages between the
/// threads of one process. It is a test of that interface, and the example that the guide tells of.
@NullMarked
package org.example.local;

import org.jspecify.annotations.NullMarked;
