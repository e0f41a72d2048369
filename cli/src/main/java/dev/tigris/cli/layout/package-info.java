/// How classes of objects lie in memory, told to other languages: `tigris layout`.
@NullMarked
package dev.tigris.cli.layout;

import org.jspecify.annotations.NullMarked;
