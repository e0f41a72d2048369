/// Objects and call sites outside of the package that implements them.
package dev.tigris.memory.other;
