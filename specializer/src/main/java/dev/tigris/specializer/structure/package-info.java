/// The restricted rule language: text that gives meaning to methods without a body, and is safe to
/// use even if its author is not trusted.
@NullMarked
package dev.tigris.specializer.structure;

import org.jspecify.annotations.NullMarked;
