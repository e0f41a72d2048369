/// Small programs to read, to run and to measure: dataflows, a file scan, a matrix multiplication.
///
/// Maven gathers the jars of the examples, which run with the `java` of a JDK 25:
///
/// ```sh
/// mvn -q -pl examples -am package -Dmaven.test.skip=true
/// java --enable-native-access=ALL-UNNAMED -cp "examples/target/*:examples/target/lib/*" \
///   dev.tigris.examples.WordCount README.md
/// ```
@NullMarked
package dev.tigris.examples;

import org.jspecify.annotations.NullMarked;
