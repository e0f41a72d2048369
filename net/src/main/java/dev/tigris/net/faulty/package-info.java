/// A provider that wraps another and breaks its promises on purpose. Not exported.
@NullMarked
package dev.tigris.net.faulty;

import org.jspecify.annotations.NullMarked;
