/// The restricted rule language: text that gives meaning to methods without a body, from people
/// whom one need not trust.
@NullMarked
package dev.tigris.specializer.structure;

import org.jspecify.annotations.NullMarked;
