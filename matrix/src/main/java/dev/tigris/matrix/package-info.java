/// Dense matrices outside the heap: their product at the speed of the processor's vectors, and
/// NumPy's files.
///
/// ```java
/// Matrix a = Npy.read(Path.of("a.npy"));
/// Matrix b = Npy.read(Path.of("b.npy"));
/// Npy.write(Path.of("c.npy"), a.multiply(b));
/// ```
///
/// [NpyProduct] multiplies files on several processes, and [GroupProduct] within a group.
///
/// The fast kernel needs the JDK's Vector API, which incubates: start the JVM with `--add-modules
/// jdk.incubator.vector`. [Matrix#kernel] tells which kernel runs.
@NullMarked
package dev.tigris.matrix;

import org.jspecify.annotations.NullMarked;
