/// Small programs to read, to run and to measure: dataflows, a file scan, a matrix multiplication.
///
/// `./tigris bench --list` builds them. They then run in the checkout with the `java` of a JDK 25:
///
/// ```sh
/// java --enable-native-access=ALL-UNNAMED -cp "build/jars/bench/*" \
///   dev.tigris.examples.WordCount README.md
/// ```
@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
