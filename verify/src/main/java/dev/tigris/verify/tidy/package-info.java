/// The house rules that a program can check, over the compiled classes of every module.
@NullMarked
package dev.tigris.verify.tidy;

import org.jspecify.annotations.NullMarked;
