/// Explicitly managed memory outside the heap: buffers, containers and the objects that live in
/// them.
///
/// Needs `--enable-native-access=dev.tigris.os,dev.tigris.memory`: it reaches memory without the
/// JDK's bounds, in the package `dev.tigris.memory.raw` only, and `dev.tigris.os` calls the C
/// library for it.
@SuppressWarnings("module") // the module that a package is exported to is compiled after this one
module dev.tigris.memory {
  requires static jdk.jfr; // works without
  requires static transitive org.jspecify;
  requires dev.tigris.os;

  exports dev.tigris.memory;
  exports dev.tigris.memory.arrow;
  exports dev.tigris.memory.schema;
  exports dev.tigris.memory.internal to
      dev.tigris.message;
}
