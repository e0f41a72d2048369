/// TCP through the JDK's channels. Not exported.
@NullMarked
package dev.tigris.net.tcp;

import org.jspecify.annotations.NullMarked;
