/// Explicitly managed memory outside the heap: buffers, containers and the objects that live in
/// them.
///
/// Needs `--enable-native-access=dev.tigris.memory`: it reaches memory without the JDK's
/// bounds, and it does so in the package `dev.tigris.memory.raw` only.
module dev.tigris.memory {
  requires static jdk.jfr; // works without
  requires static transitive org.jspecify;

  exports dev.tigris.memory;
}
