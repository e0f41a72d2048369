/// Explicitly managed memory outside the heap: buffers, containers and the objects that live in
/// them.
///
/// Needs `--enable-native-access=dev.tigris.os,dev.tigris.memory`: it reaches memory without the
/// JDK's bounds, in the package `dev.tigris.memory.raw` only, and `dev.tigris.os` calls the C
/// library for it.
module dev.tigris.memory {
  requires static jdk.jfr; // works without
  requires static transitive org.jspecify;
  requires dev.tigris.os;

  exports dev.tigris.memory;
  exports dev.tigris.memory.arrow;
  exports dev.tigris.memory.schema;
}
